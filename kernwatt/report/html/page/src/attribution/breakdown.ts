// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { makeChart, fontFamily } from "../charts";
import { segmented, swatch } from "../controls";
import { append, h, replace } from "../dom";
import { energyText, shareText, timeText } from "../format";
import { t } from "../messages";
import { choices, onThemeChange, type Section } from "../page";
import { Report } from "../report";
import { categoryColour, textOn, variable } from "../theme";
import { showRow } from "./details";
import { buildTree, sorted, valueOf, type Measure, type TreeNode } from "./tree";

const mostInList = 12;

function valueText(node: TreeNode, measure: Measure): string {
  return measure === "joules" ? energyText(node.joules ?? 0) : timeText(node.seconds);
}

class Breakdown {
  private path: TreeNode[];
  private measure: Measure;
  private readonly crumbs = h("nav", { class: "crumbs", "aria-label": t("path") });
  private readonly canvas = h("div", { class: "treemap", role: "img" });
  private readonly list = h("div", { class: "breakdown-list" });
  private readonly chart;

  constructor(private readonly report: Report, body: HTMLElement) {
    this.path = [buildTree(report)];
    this.measure = report.hasEnergy && choices.breakdown !== "seconds" ? "joules" : "seconds";
    append(body, [h("p", { class: "intro" }, t("breakdownIntro")),
      h("div", { class: "toolbar" }, this.crumbs, report.hasEnergy ? segmented(t("measure"),
        [{ value: "joules", label: t("joules") }, { value: "seconds", label: t("seconds") }], this.measure, (measure) => {
          choices.breakdown = this.measure = measure;
          this.show();
        }) : null),
      h("div", { class: "breakdown" }, this.canvas, this.list)]);
    this.chart = makeChart(this.canvas);
    this.chart.on("click", (event) => {
      const key = (event.data as { key?: string } | undefined)?.key;
      if (key) this.open(key);
    });
    onThemeChange(() => this.show());
    this.show();
  }

  private get root(): TreeNode { return this.path[this.path.length - 1]; }

  /** Goes down to the node, or shows the class that it is. */
  private open(key: string): void {
    const steps: TreeNode[] = [];
    let node: TreeNode | undefined = this.path[0];
    while (node && node.key !== key) {
      node = node.children.find((child) => key === child.key || key.startsWith(child.key + "/"));
      if (node) steps.push(node);
    }
    if (!node) return;
    if (node.row) return showRow(this.report, node.row);
    if (node.children.length === 0) return;
    this.path = [this.path[0], ...steps];
    this.show();
  }

  private show(): void {
    replace(this.crumbs, h("ol", {}, this.path.map((node, i) => {
      const name = i === 0 ? t("everything") : node.label;
      return h("li", {}, i + 1 < this.path.length
        ? h("button", { type: "button", onclick: () => { this.path.length = i + 1; this.show(); } }, name)
        : h("span", { "aria-current": "location" }, name));
    })));
    this.showList();
    this.draw();
  }

  private showList(): void {
    const whole = valueOf(this.root, this.measure) || 1;
    const nodes = sorted(this.root.children, this.measure);
    const shown = nodes.slice(0, nodes.length === mostInList + 1 ? mostInList + 1 : mostInList);
    const rest = nodes.slice(shown.length);
    replace(this.list, h("table", {},
      h("caption", { class: "visually-hidden" }, this.root.label || t("everything")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("part")),
        h("th", { scope: "col", class: "number" }, this.measure === "joules" ? t("energy") : t("time")), h("th", { scope: "col", class: "number" }, t("share")))),
      h("tbody", {}, shown.map((node) => h("tr", { "data-key": node.key },
        h("th", { scope: "row" }, node.category ? swatch(categoryColour(node.category)) : null,
          node.children.length || node.row
            ? h("button", { type: "button", class: "link", title: node.row?.name ?? node.label, "aria-label": t("lookInside", { name: node.label }), onclick: () => this.open(node.key) }, node.label)
            : h("span", {}, node.label)),
        h("td", { class: "number" }, valueText(node, this.measure)),
        h("td", { class: "number" }, shareText(valueOf(node, this.measure) / whole)))),
      rest.length ? h("tr", { class: "rest" }, h("th", { scope: "row" }, t("classesMore", { count: rest.length })),
        h("td", { class: "number" }, this.measure === "joules"
          ? energyText(rest.reduce((sum, node) => sum + (node.joules ?? 0), 0)) : timeText(rest.reduce((sum, node) => sum + node.seconds, 0))),
        h("td", { class: "number" }, shareText(rest.reduce((sum, node) => sum + valueOf(node, this.measure), 0) / whole))) : null)),
    this.path.length === 1 ? this.categories() : null);
  }

  /** All phases together: what kinds of work there are, and what each colour stands for. */
  private categories(): HTMLElement | null {
    const sums = new Map<string, TreeNode>();
    for (const node of this.path[0].children.flatMap((phase) => phase.children)) {
      const sum = sums.get(node.category) ?? { ...node, joules: 0, seconds: 0 };
      sum.joules = (sum.joules ?? 0) + (node.joules ?? 0);
      sum.seconds += node.seconds;
      sums.set(node.category, sum);
    }
    if (sums.size === 0) return null;
    const whole = valueOf(this.path[0], this.measure) || 1;
    return h("table", { class: "categories" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("category")),
      h("th", { scope: "col", class: "number" }, this.measure === "joules" ? t("energy") : t("time")), h("th", { scope: "col", class: "number" }, t("share")))),
    h("tbody", {}, sorted([...sums.values()], this.measure).map((node) => h("tr", {}, h("th", { scope: "row" }, swatch(categoryColour(node.category)), h("span", {}, node.label)),
      h("td", { class: "number" }, valueText(node, this.measure)), h("td", { class: "number" }, shareText(valueOf(node, this.measure) / whole))))));
  }

  private item(node: TreeNode, depth: number): object {
    const colour = node.category ? categoryColour(node.category) : variable("surface-2");
    const text = textOn(colour);
    const whole = valueOf(this.path[0], this.measure) || 1;
    return {
      name: node.label, key: node.key, value: valueOf(node, this.measure), tip: valueText(node, this.measure),
      share: shareText(valueOf(node, this.measure) / whole),
      itemStyle: { color: colour, borderColor: variable("surface") },
      label: { color: text }, upperLabel: { color: node.category ? text : variable("ink"), backgroundColor: colour },
      children: depth > 0 ? sorted(node.children, this.measure).filter((child) => valueOf(child, this.measure) > 0)
        .slice(0, 400).map((child) => this.item(child, depth - 1)) : undefined,
    };
  }

  private draw(): void {
    this.canvas.setAttribute("aria-label", t("breakdownLabel", {
      what: this.measure === "joules" ? t("energy") : t("time"), levels: [t("phase"), t("category"), t("viewClass")].join(", ") }));
    const line = (params: { name: string; data: { tip: string; share: string } }): string => params.name + "\n" + params.data.share;
    this.chart.setOption({
      animationDuration: 200, animationDurationUpdate: 250, textStyle: { fontFamily },
      tooltip: { confine: true, backgroundColor: variable("surface"), borderColor: variable("line"), textStyle: { color: variable("ink"), fontSize: 13 },
        formatter: (params: { name: string; data?: { tip?: string; share?: string } }) => {
          if (!params.data?.tip) return "";
          return h("div", { class: "tip" }, h("b", {}, params.name), h("div", {}, params.data.tip + " · " + params.data.share)) as unknown as string;
        } },
      series: [{
        type: "treemap", left: 0, right: 0, top: 0, bottom: 0, roam: false, nodeClick: false, breadcrumb: { show: false },
        itemStyle: { borderColor: variable("surface") }, visibleMin: 30, squareRatio: 1.1, emphasis: { disabled: false, itemStyle: { borderColor: variable("ink") }, upperLabel: { show: true, color: variable("ink") } },
        label: { show: true, fontSize: 12, lineHeight: 16, overflow: "truncate", position: "insideTopLeft", padding: 4, formatter: line },
        upperLabel: { show: true, height: 24, fontSize: 12, fontWeight: 600, padding: [0, 6],
          formatter: (params: { name: string; data: { share?: string } }) => params.data.share && this.canvas.clientWidth > 520 ? params.name + "  " + params.data.share : params.name },
        levels: [{ itemStyle: { gapWidth: 3, borderWidth: 0 }, upperLabel: { show: false } }, { itemStyle: { gapWidth: 1, borderWidth: 2 } }, { itemStyle: { gapWidth: 1, borderWidth: 1 } }],
        data: sorted(this.root.children, this.measure).filter((node) => valueOf(node, this.measure) > 0).slice(0, 400)
          .map((node) => this.item(node, this.path.length < 3 ? 1 : 0)),
      }],
    } as never, { replaceMerge: ["series"] });
  }
}

export function breakdownSection(report: Report): Section | null {
  if (report.cells.length === 0) return null;
  return { id: "breakdown", title: "breakdown", render: (body) => void new Breakdown(report, body) };
}
