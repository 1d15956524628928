// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import type { Interval } from "../format";
import type { QualityEntry } from "../report";

/** The document of docs/json.md, kind "comparison", as far as the page reads it. */

export type Match = "same" | "other-shape" | "renumbered" | "same-role" | "same-order" | "gone" | "new";
export interface Figures {
  name: string; detail: string; launches: number; energy_j: number | null; energy_ci95_j: Interval; time_s: number | null; time_ci95_s: Interval;
}
export interface Change { difference: number; ci95: Interval; relative: number | null; certain: boolean }
export interface Sides { before: Figures | null; after: Figures | null; energy_j: Change | null; time_s: Change | null }
export interface ComparedRow extends Sides { view: string; match: Match; category: string }
export interface ComparedRun {
  file: string; command: string; tool_version: string; created_ns: number; source: string; gpus: string[]; total_j: number | null;
  recording_s: number | null; iterations: number; tokens_per_iteration: number | null;
}
export interface ComparisonDocument {
  kind: "comparison"; tool: { name: string; version: string }; per: "recording" | "iteration" | "token"; before: ComparedRun; after: ComparedRun;
  total: Sides; rows: ComparedRow[]; quality: QualityEntry[];
}

export const named = (row: ComparedRow): Figures => (row.before ?? row.after)!;
export const fileName = (path: string): string => path.split("/").pop() || path;

/** "nvjet_tst… grid": enough to tell classes apart; the whole name is behind it. */
export function shortName(name: string): string {
  const plain = name.replace(/^void /, "").replace(/\(anonymous namespace\)::/g, "").replace(/\b\w+::/g, "");
  const cut = plain.indexOf("(", 1);
  return cut > 0 && !plain.startsWith("Mem") ? plain.slice(0, cut) : plain;
}
