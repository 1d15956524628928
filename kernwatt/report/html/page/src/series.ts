// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { DeltaReader } from "./delta_code";

/** What series_json.cpp writes for the power chart. Times are seconds from the origin. */

export interface SensorJson { name: string; readings: number; buckets: number; readings_per_bucket: number; data: string }
export interface SeriesJson {
  origin_ns: number; time_step_ns: number; value_steps_per_unit: number; labels?: Record<string, string>;
  gpus: { file: string; gpu: string; account: number | null; power_limit_w: number | null; sensors: SensorJson[]; reasons: number[] }[];
  spans: { row: number; count: number; data: string }[];
}

/** Readings, and above them the smallest and largest of ever larger groups, so that any stretch is drawn from about as
 *  many numbers as it has pixels, and no peak is lost. */
export class Pyramid {
  readonly levels: { low: Float64Array; high: Float64Array }[] = [];

  constructor(readonly time: Float64Array, low: Float64Array, high: Float64Array) {
    this.levels.push({ low, high });
    while (this.levels[this.levels.length - 1].low.length > 512) {
      const below = this.levels[this.levels.length - 1];
      const size = Math.ceil(below.low.length / 4);
      const above = { low: new Float64Array(size), high: new Float64Array(size) };
      for (let i = 0; i < size; ++i) {
        let least = Infinity;
        let most = -Infinity;
        for (let k = 4 * i; k < Math.min(4 * i + 4, below.low.length); ++k) {
          if (below.low[k] < least) least = below.low[k];
          if (below.high[k] > most) most = below.high[k];
        }
        above.low[i] = least;
        above.high[i] = most;
      }
      this.levels.push(above);
    }
  }

  get size(): number { return this.time.length; }

  /** The first index whose time is not before t. */
  find(t: number): number {
    let from = 0;
    let to = this.time.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.time[middle] < t) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Points of a line through [from, to], at most about 2 · most: low and high of each group. */
  points(from: number, to: number, most: number): [number, number][] {
    const first = Math.max(0, this.find(from) - 1);
    const last = Math.min(this.size, this.find(to) + 1);
    let level = 0;
    let group = 1;
    while (level + 1 < this.levels.length && (last - first) / group > most) {
      ++level;
      group *= 4;
    }
    const { low, high } = this.levels[level];
    const out: [number, number][] = [];
    for (let i = Math.floor(first / group); i * group < last; ++i) {
      const t = this.time[Math.min(this.size - 1, i * group)];
      out.push([t, low[i]]);
      if (high[i] !== low[i]) out.push([t, high[i]]);
    }
    return out;
  }

  /** The reading that holds at t: the last one not after it. */
  at(t: number): { time: number; low: number; high: number } | null {
    const i = Math.min(this.size - 1, this.find(t));
    if (i < 0) return null;
    const k = i > 0 && Math.abs(this.time[i - 1] - t) < Math.abs(this.time[i] - t) ? i - 1 : i;
    return { time: this.time[k], low: this.levels[0].low[k], high: this.levels[0].high[k] };
  }
}

export class Sensor {
  private decoded: Pyramid | null = null;
  constructor(readonly name: string, readonly readings: number, readonly perBucket: number, private readonly decode: () => Pyramid) {}
  /** Decoded when it is first asked for. */
  get pyramid(): Pyramid { return (this.decoded ??= this.decode()); }
}
export interface Span { start: number; end: number }
export interface ReasonSpan extends Span { bits: number }
export interface GpuSeries { file: string; gpu: string; account: number | null; limit: number | null; sensors: Sensor[]; reasons: ReasonSpan[] }

export class Series {
  readonly gpus: GpuSeries[];
  readonly spans = new Map<number, Span[]>();
  readonly originNs: number;

  constructor(private readonly json: SeriesJson) {
    this.originNs = json.origin_ns;
    const seconds = json.time_step_ns * 1e-9;
    this.gpus = json.gpus.map((gpu) => ({
      file: gpu.file, gpu: gpu.gpu, account: gpu.account, limit: gpu.power_limit_w,
      sensors: gpu.sensors.map((sensor) => new Sensor(sensor.name, sensor.readings, sensor.readings_per_bucket, () => this.pyramid(sensor))),
      reasons: Array.from({ length: gpu.reasons.length / 3 }, (_, i) => ({
        start: gpu.reasons[3 * i] * seconds, end: (gpu.reasons[3 * i] + gpu.reasons[3 * i + 1]) * seconds,
        bits: gpu.reasons[3 * i + 2] })),
    }));
    for (const of of json.spans) {
      const reader = new DeltaReader(of.data);
      const list: Span[] = [];
      let time = 0;
      for (let i = 0; i < of.count; ++i) {
        time += reader.next();
        list.push({ start: time * seconds, end: (time + reader.next()) * seconds });
      }
      this.spans.set(of.row, list);
    }
  }

  get labels(): Record<string, string> { return this.json.labels ?? {}; }

  /** Seconds from the origin. */
  seconds(timeNs: number): number { return (timeNs - this.originNs) * 1e-9; }

  private pyramid(json: SensorJson): Pyramid {
    const reader = new DeltaReader(json.data);
    const time = new Float64Array(json.buckets);
    const low = new Float64Array(json.buckets);
    const high = json.readings_per_bucket > 1 ? new Float64Array(json.buckets) : low;
    const seconds = this.json.time_step_ns * 1e-9;
    const unit = this.json.value_steps_per_unit;
    let now = 0;
    let pace = 0;
    let value = 0;
    for (let i = 0; i < json.buckets; ++i) {
      pace += reader.next();
      now += pace;
      value += reader.next();
      time[i] = now * seconds;
      low[i] = value / unit;
      if (high !== low) high[i] = (value + reader.next()) / unit;
    }
    return new Pyramid(time, low, high);
  }
}
