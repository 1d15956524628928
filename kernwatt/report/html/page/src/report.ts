// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import type { Interval } from "./format";

/** The document of docs/json.md, as far as the page reads it. */

export type View = "class" | "operator" | "layer" | "phase" | "category" | "iteration";

export interface Row {
  id: number; parent: number | null; view: View; gpu: number | null; rank: number | null;
  name: string; detail: string; launches: number; time_s: number;
  energy_j: number | null; energy_ci95_j: Interval; power_w: number | null; power_ci95_w: Interval;
  power_at_reference_w: number | null; power_at_reference_ci95_w: Interval;
  share_of_total: number | null; flops: number | null; j_per_flop: number | null; flags: string[];
}
export interface Account {
  gpu?: string; source: string; start_ns: number | null; end_ns: number | null; total_j: number | null;
  attributed_j: number | null; idle_j: number | null; unattributed_j: number | null;
  lag_ms: number | null; delay_ms: number | null; execution_idle_w: number | null; execution_idle_ci95_w: Interval;
  reference_mhz: number | null; gpus?: Account[];
}
export interface TraceSummary {
  file: string; format: string; rank: number | null; gpus: number[]; kernels: number; distinct_names: number;
  busy_sum_ns: number; busy_union_ns: number; comm_ns: number; comm_overlapped_ns: number;
  start_ns: number | null; end_ns: number | null;
}
export interface PowerSummary {
  file: string; format: string; gpu: string; samples: number; missing: number; energy_j: number | null;
  energy_counter_j: number | null; max_gap_s: number | null;
}
export interface QualityEntry { id: string; severity: "info" | "warning" | "error"; count: number; message: string }
export interface AttributionDocument {
  kind: "attribution"; tool: { name: string; version: string }; command: string; created_ns: number;
  traces: TraceSummary[]; power: PowerSummary[]; energy: Account;
  iterations: { count: number; found_by: string; period_s: number | null; energy_j: number | null;
    energy_ci95_j: Interval; tokens_per_joule: number | null };
  rows: Row[]; combined?: Row[]; cells?: { columns: string[]; rows: (number | null)[][] };
  tied: { id: number; rows: number[]; energy_j: number; energy_ci95_j: Interval }[];
  explanations: { row: number; time_share_energy_j: number | null; how: string }[]; quality: QualityEntry[];
}

/** What one class did for one operator in one layer and one phase. */
export interface Cell {
  class: number; operator: number; layer: number; phase: number; launches: number; time_s: number;
  energy_j: number | null; measured_s: number; flops: number | null;
}

export const isIdle = (row: Row): boolean => row.flags.includes("idle");
export const isUnattributed = (row: Row): boolean => row.flags.includes("unattributed");
export const isWork = (row: Row): boolean => !isIdle(row) && !isUnattributed(row);

export class Report {
  readonly byId = new Map<number, Row>();
  readonly cells: Cell[] = [];
  readonly how = new Map<number, { time_share_energy_j: number | null; how: string }>();
  readonly hasEnergy: boolean;
  private readonly byView = new Map<View, Row[]>();

  constructor(readonly document: AttributionDocument, private readonly labels: Record<string, string>) {
    for (const row of document.rows) {
      this.byId.set(row.id, row);
      const list = this.byView.get(row.view);
      if (list) list.push(row);
      else this.byView.set(row.view, [row]);
    }
    for (const one of document.explanations) this.how.set(one.row, one);
    const columns = document.cells?.columns ?? [];
    for (const values of document.cells?.rows ?? [])
      this.cells.push(Object.fromEntries(columns.map((name, i) => [name, values[i]])) as unknown as Cell);
    this.hasEnergy = document.energy.total_j !== null;
  }

  rows(view: View): Row[] { return this.byView.get(view) ?? []; }

  /** The rows of all GPUs together; with one GPU these are its rows. */
  rowsTogether(view: View): Row[] {
    return this.document.combined?.length ? this.document.combined.filter((row) => row.view === view) : this.rows(view);
  }

  /** The cells of a row, or of all rows that a combined row stands for. */
  cellsOf(row: Row): Cell[] {
    const view = row.view as "class" | "operator" | "layer" | "phase";
    if (row.gpu !== null || !this.severalGpus) return this.cells.filter((cell) => cell[view] === row.id);
    return this.cells.filter((cell) => this.row(cell[view]).name === row.name && this.row(cell[view]).detail === row.detail);
  }

  row(id: number): Row { return this.byId.get(id)!; }

  /** The name, short enough to read: no two rows of one view have the same. */
  label(row: Row): string { return this.labels[row.id] ?? row.name; }

  categoryOf(classRow: Row): string {
    return classRow.parent === null ? "other" : this.row(classRow.parent).name;
  }

  /** Rows of one layer (or phase) on several GPUs go by one name. */
  get severalGpus(): boolean { return (this.document.energy.gpus ?? []).length > 1; }

  /** "rank 1", "GPU 2": where rows of several are mixed. */
  origin(row: Row): string {
    const parts: string[] = [];
    if (row.rank !== null && this.document.traces.length > 1) parts.push("rank " + row.rank);
    if (row.gpu !== null && this.severalGpus) parts.push("GPU " + row.gpu);
    return parts.join(" · ");
  }
}

export function embedded<T>(name: string): T | null {
  const element = document.getElementById("kernwatt-" + name);
  return element ? (JSON.parse(element.textContent ?? "null") as T) : null;
}
