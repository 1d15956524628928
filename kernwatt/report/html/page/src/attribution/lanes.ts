// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { t, word, type Message } from "../messages";
import { isWork, Report, type Row } from "../report";
import { Series, type GpuSeries, type ReasonSpan, type Span } from "../series";

/** What ran when, as lanes under the power: iterations, phases, and what held the clocks down. */
export interface Lane {
  kind: "iteration" | "phase" | "reason";
  label: string;
  spans: Span[];
  /** Of one span, for the tooltip. */
  name(index: number): string;
}

export interface LaneItem { lane: number; start: number; end: number; index: number }

function iterationLane(report: Report, series: Series, of: (row: Row) => boolean): Lane | null {
  const rows = report.rows("iteration").filter((row) => of(row) && series.spans.has(row.id));
  if (rows.length === 0) return null;
  return { kind: "iteration", label: t("iterations"), spans: rows.map((row) => series.spans.get(row.id)![0]), name: (i) => rows[i].name };
}

function phaseLanes(report: Report, series: Series, of: (row: Row) => boolean): Lane[] {
  return report.rows("phase").filter((row) => of(row) && isWork(row) && series.spans.has(row.id)).map((row) => ({
    kind: "phase" as const, label: word(row.name), spans: series.spans.get(row.id)!, name: () => word(row.name) }));
}

function reasonName(bit: number): string {
  return bit <= 8 ? t(("reason_" + bit) as Message) : t("reason_x", { bits: "0x" + (2 ** bit).toString(16) });
}

const has = (bits: number, bit: number): boolean => Math.floor(bits / 2 ** bit) % 2 === 1;

function reasonLanes(reasons: ReasonSpan[]): Lane[] {
  const lanes: Lane[] = [];
  for (let bit = 0; bit < 53 && lanes.length < 6; ++bit) {
    const spans: Span[] = [];
    for (const reason of reasons) {
      if (!has(reason.bits, bit)) continue;
      const last = spans[spans.length - 1];
      if (last && last.end >= reason.start) last.end = reason.end;
      else spans.push({ start: reason.start, end: reason.end });
    }
    if (spans.length) lanes.push({ kind: "reason", label: reasonName(bit), spans, name: () => reasonName(bit) });
  }
  return lanes;
}

export function lanesOf(report: Report, series: Series, of: (row: Row) => boolean, gpus: GpuSeries[]): Lane[] {
  const reasons = gpus.flatMap((gpu) => gpu.reasons);
  const iteration = iterationLane(report, series, of);
  return [...(iteration ? [iteration] : []), ...phaseLanes(report, series, of), ...reasonLanes(reasons)];
}

/** First span that ends after t. Spans are sorted. */
function firstAfter(spans: Span[], t0: number): number {
  let from = 0;
  let to = spans.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (spans[middle].end < t0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The spans that can be told apart when [from, to] has this many pixels; nearer ones are drawn as one. */
export function visibleSpans(lane: Lane, number: number, from: number, to: number, pixels: number): LaneItem[] {
  const pixel = (to - from) / Math.max(1, pixels);
  const out: LaneItem[] = [];
  for (let i = firstAfter(lane.spans, from); i < lane.spans.length && lane.spans[i].start <= to; ++i) {
    const { start, end } = lane.spans[i];
    const last = out[out.length - 1];
    const joinable = last && start - last.end < pixel * 0.5 && end - start < pixel * 2 && last.end - last.start < pixel * 2;
    if (joinable) last.end = Math.max(last.end, end);
    else out.push({ lane: number, start, end, index: i });
  }
  return out;
}

export function spanAt(lane: Lane, t0: number): number | null {
  const i = firstAfter(lane.spans, t0);
  return i < lane.spans.length && lane.spans[i].start <= t0 && t0 <= lane.spans[i].end ? i : null;
}
