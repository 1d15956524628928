// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { word } from "../messages";
import { isIdle, isUnattributed, Report, type Row } from "../report";

/** Where energy and time went, as a tree: phase, category, class. */
export interface TreeNode {
  key: string;
  label: string;
  category: string;  ///< decides the colour; of a phase: ""
  joules: number | null;
  seconds: number;
  row: Row | null;  ///< of a class
  children: TreeNode[];
}

class Builder {
  private readonly nodes = new Map<string, TreeNode>();
  readonly root: TreeNode = { key: "", label: "", category: "", joules: null, seconds: 0, row: null, children: [] };

  child(parent: TreeNode, name: string, make: () => Partial<TreeNode>): TreeNode {
    const key = parent.key + "/" + name;
    let node = this.nodes.get(key);
    if (!node) {
      node = { key, label: name, category: "", joules: null, seconds: 0, row: null, children: [], ...make() };
      this.nodes.set(key, node);
      parent.children.push(node);
    }
    return node;
  }
}

function add(node: TreeNode, joules: number | null, seconds: number): void {
  if (joules !== null) node.joules = (node.joules ?? 0) + joules;
  node.seconds += seconds;
}

export function buildTree(report: Report): TreeNode {
  const builder = new Builder();
  const { root } = builder;
  for (const cell of report.cells) {
    const row = report.row(cell.class);
    const phase = builder.child(root, report.row(cell.phase).name, () => ({ label: word(report.row(cell.phase).name) }));
    const category = report.categoryOf(row);
    const inPhase = builder.child(phase, category, () => ({ label: word(category), category }));
    const leaf = builder.child(inPhase, String(row.id), () => ({ label: report.label(row), category, row }));
    for (const node of [root, phase, inPhase, leaf]) add(node, cell.energy_j, cell.time_s);
  }
  for (const row of report.rows("phase")) {
    if (!isIdle(row) && !isUnattributed(row)) continue;
    if (isUnattributed(row) && !((row.energy_j ?? 0) > 0)) continue;
    const node = builder.child(root, row.name, () => ({ label: word(row.name), category: isIdle(row) ? "idle" : "unattributed" }));
    add(node, row.energy_j, row.time_s);
    add(root, row.energy_j, row.time_s);
  }
  return root;
}

export type Measure = "joules" | "seconds";
export const valueOf = (node: TreeNode, measure: Measure): number =>
  Math.max(0, measure === "joules" ? node.joules ?? 0 : node.seconds);

export function sorted(nodes: TreeNode[], measure: Measure): TreeNode[] {
  return [...nodes].sort((a, b) => valueOf(b, measure) - valueOf(a, measure));
}
