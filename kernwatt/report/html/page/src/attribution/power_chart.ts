// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { fontFamily, makeChart } from "../charts";
import { append, h, oncePerFrame } from "../dom";
import { powerText, threeDigits } from "../format";
import { t, type Message } from "../messages";
import { onThemeChange } from "../page";
import type { Sensor } from "../series";
import { variable } from "../theme";
import { spanAt, visibleSpans, type Lane, type LaneItem } from "./lanes";

export interface ChartParts {
  power: Sensor[];
  clock: Sensor | null;
  lanes: Lane[];
  zero: number;  ///< in the series' seconds; all times here and on screen count from it
  whole: [number, number];
  trace: [number, number] | null;
  limit: number | null;
}

const laneHeight = 20;
const lineColours = ["series-1", "series-2", "series-3", "series-4", "series-5"];

/** Power, lanes and clock over one time axis that zooms and moves. Only what the pixels can show is handed to the
 *  chart, from the pyramid of smallest and largest readings. */
export class PowerChart {
  private readonly element = h("div", { class: "power-chart", tabindex: 0, role: "group" });
  private readonly chart;
  private from: number;
  private to: number;
  private readonly shown: Set<Sensor>;

  constructor(holder: HTMLElement, private readonly parts: ChartParts) {
    this.shown = new Set(parts.power.slice(0, 1));
    const { trace, whole } = parts;
    const margin = trace ? 0.04 * (trace[1] - trace[0]) : 0;
    this.from = trace ? Math.max(whole[0], trace[0] - margin) : whole[0];
    this.to = trace ? Math.min(whole[1], trace[1] + margin) : whole[1];
    this.element.setAttribute("aria-label", parts.power.length ? t("powerOverTime") : t("traceOnly"));
    append(holder, [this.toolbar(), this.element]);
    this.element.style.height = this.layout().height + "px";
    this.chart = makeChart(this.element);
    this.draw();
    const refill = oncePerFrame(() => this.fill());
    this.chart.on("datazoom", () => {
      const zoom = (this.chart.getOption() as { dataZoom: { startValue: number; endValue: number }[] }).dataZoom[0];
      this.from = zoom.startValue;
      this.to = zoom.endValue;
      refill();
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    onThemeChange(() => this.draw());
    let narrow = this.narrow;
    new ResizeObserver(oncePerFrame(() => {
      if (this.chart.isDisposed()) return;
      if (narrow === this.narrow) return this.fill();
      narrow = this.narrow;
      this.draw();
    })).observe(this.element);
  }

  private get narrow(): boolean { return this.element.clientWidth < 560; }

  private toolbar(): HTMLElement {
    const button = (message: Message, sign: string, action: () => void): HTMLElement =>
      h("button", { type: "button", "aria-label": t(message), title: t(message), onclick: action }, sign);
    const { trace, whole } = this.parts;
    return h("div", { class: "toolbar" },
      this.parts.power.length > 1 ? h("div", { class: "chips", role: "group", "aria-label": t("sensor") }, this.parts.power.map((sensor, i) =>
        h("button", { type: "button", class: "chip", "aria-pressed": String(this.shown.has(sensor)), onclick: (event: Event) => {
          if (this.shown.has(sensor)) this.shown.delete(sensor);
          else this.shown.add(sensor);
          (event.currentTarget as HTMLElement).setAttribute("aria-pressed", String(this.shown.has(sensor)));
          this.draw();
        } }, h("span", { class: "swatch", "aria-hidden": "true", style: { background: "var(--" + lineColours[i % lineColours.length] + ")" } }), t(sensor.name as Message)))) : h("span"),
      h("div", { class: "buttons" },
        button("panLeft", "←", () => this.move(-0.25)), button("panRight", "→", () => this.move(0.25)),
        button("zoomIn", "+", () => this.zoom(0.5)), button("zoomOut", "−", () => this.zoom(2)),
        trace ? h("button", { type: "button", onclick: () => this.view(trace[0], trace[1]) }, t("zoomTrace")) : null,
        h("button", { type: "button", onclick: () => this.view(whole[0], whole[1]) }, t("zoomAll"))));
  }

  private view(from: number, to: number): void {
    const [least, most] = this.parts.whole;
    const length = Math.min(Math.max(to - from, 1e-4), most - least);
    const start = Math.min(Math.max(from, least), most - length);
    this.chart.dispatchAction({ type: "dataZoom", startValue: start, endValue: start + length });
  }
  private move(part: number): void {
    const by = (this.to - this.from) * part;
    this.view(this.from + by, this.to + by);
  }
  private zoom(factor: number): void {
    const middle = (this.from + this.to) / 2;
    const half = ((this.to - this.from) / 2) * factor;
    this.view(middle - half, middle + half);
  }
  private key(event: KeyboardEvent): void {
    const action = { ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
      "-": () => this.zoom(2), Home: () => this.view(this.parts.whole[0], this.parts.whole[1]) }[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private layout() {
    const left = this.narrow ? 84 : 148;
    const power = this.parts.power.length ? (this.narrow ? 170 : 210) : 0;
    const lanes = this.parts.lanes.length * laneHeight;
    const clock = this.parts.clock ? 64 : 0;
    const lanesTop = 24 + power + (power ? 12 : 0);
    const clockTop = lanesTop + lanes + (clock ? 28 : 0);
    return { left, right: 18, power, lanes, clock, lanesTop, clockTop, height: clockTop + clock + 84 };
  }

  private timeLabel(seconds: number): string {
    const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10((this.to - this.from) / 12))));
    return seconds.toFixed(decimals);
  }

  private pixels(): number {
    const { left, right } = this.layout();
    return Math.max(100, this.element.clientWidth - left - right);
  }

  private draw(): void {
    const at = this.layout();
    this.element.style.height = at.height + "px";
    const ink = variable("ink-2");
    const line = variable("line");
    const grids: object[] = [];
    const xAxes: object[] = [];
    const yAxes: object[] = [];
    const grid = (top: number, height: number, yAxis: object): number => {
      const i = grids.length;
      grids.push({ left: at.left, right: at.right, top, height });
      xAxes.push({ type: "value", gridIndex: i, min: this.parts.whole[0], max: this.parts.whole[1], axisLabel: { show: false },
        axisTick: { show: false }, splitLine: { show: false }, axisLine: { show: false }, axisPointer: { show: true, label: { show: false }, lineStyle: { color: ink } } });
      yAxes.push({ gridIndex: i, axisLine: { show: false, onZero: false }, axisTick: { show: false }, ...yAxis });
      return i;
    };
    const label = { color: ink, fontSize: 11 };
    const plain = { ...label, formatter: (value: number) => String(value) };
    const named = (name: string) => ({ name, nameLocation: "end", nameGap: 8, nameTextStyle: { color: ink, fontSize: 11, align: "left", padding: [0, 0, 0, -at.left + 12] } });
    if (at.power) grid(24, at.power, { type: "value", min: 0, ...named(t("powerAxis")), axisLabel: plain, splitLine: { lineStyle: { color: line } } });
    if (at.lanes) grid(at.lanesTop, at.lanes, { type: "category", inverse: true, data: this.parts.lanes.map((lane) => lane.label), axisLabel: { ...label, width: at.left - 16, overflow: "truncate", interval: 0 }, splitLine: { show: true, lineStyle: { color: line } } });
    if (at.clock) grid(at.clockTop, at.clock, { type: "value", min: 0, ...named(t("clockAxis")), axisLabel: plain, splitNumber: 2, splitLine: { lineStyle: { color: line } } });
    Object.assign(xAxes[xAxes.length - 1], { axisLabel: { ...label, hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: (value: number) => this.timeLabel(value) }, axisLine: { show: true, lineStyle: { color: line } },
      axisTick: { show: true, lineStyle: { color: line } }, name: t("timeAxis"), nameLocation: "middle", nameGap: 26, nameTextStyle: { color: ink, fontSize: 11 } });
    const all = xAxes.map((_, i) => i);
    this.chart.setOption({
      animation: false, textStyle: { fontFamily }, aria: { enabled: false }, grid: grids, xAxis: xAxes, yAxis: yAxes,
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      tooltip: { trigger: "axis", confine: true, backgroundColor: variable("surface"), borderColor: line, textStyle: { color: variable("ink"), fontSize: 13 },
        formatter: (params: { axisValue: number }[]) => this.tip(Number(params[0]?.axisValue ?? NaN)) },
      dataZoom: [
        { type: "inside", xAxisIndex: all, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, moveOnMouseWheel: false, startValue: this.from, endValue: this.to, minValueSpan: 1e-4 },
        { type: "slider", xAxisIndex: all, filterMode: "none", height: 22, bottom: 8, left: at.left, right: at.right, showDataShadow: false, brushSelect: false, startValue: this.from, endValue: this.to,
          borderColor: line, fillerColor: variable("filler"), handleStyle: { color: variable("surface"), borderColor: ink }, moveHandleStyle: { color: ink, opacity: 0.35 }, moveHandleSize: 5,
          textStyle: { color: ink, fontSize: 11 }, showDetail: false }],
      series: this.series(),
    } as never, { notMerge: true });
  }

  /** The same series with what is visible now. */
  private fill(): void {
    if (this.chart.isDisposed()) return;
    this.element.dataset.from = String(this.from);
    this.element.dataset.to = String(this.to);
    this.chart.setOption({ series: this.series() } as never);
  }

  private series(): object[] {
    const most = this.pixels();
    const out: object[] = [];
    let grid = 0;
    if (this.parts.power.length) {
      this.parts.power.forEach((sensor, i) => out.push({
        id: "power" + i, type: "line", xAxisIndex: 0, yAxisIndex: 0, showSymbol: false, lineStyle: { width: 1.3, color: variable(lineColours[i % lineColours.length]) },
        data: this.shown.has(sensor) ? this.points(sensor, most) : [],
        markLine: i === 0 && this.parts.limit !== null ? { silent: true, symbol: "none", lineStyle: { color: variable("bad"), type: "dashed", width: 1 },
          label: { show: false }, data: [{ yAxis: this.parts.limit }] } : undefined }));
      ++grid;
    }
    if (this.parts.lanes.length) out.push(this.laneSeries(grid++, most));
    if (this.parts.clock)
      out.push({ id: "clock", type: "line", step: "end", xAxisIndex: grid, yAxisIndex: grid, showSymbol: false, lineStyle: { width: 1.2, color: variable("ink-2") },
        data: this.points(this.parts.clock, most) });
    return out;
  }

  private points(sensor: Sensor, most: number): [number, number][] {
    const { zero } = this.parts;
    const points = sensor.pyramid.points(this.from + zero, this.to + zero, most);
    if (zero !== 0) for (const point of points) point[0] -= zero;
    return points;
  }

  private laneSeries(grid: number, most: number): object {
    const items: LaneItem[] = this.parts.lanes.flatMap((lane, i) => visibleSpans(lane, i, this.from + this.parts.zero, this.to + this.parts.zero, most));
    const colours = { iteration: [variable("lane-1"), variable("lane-2")], phase: [variable("lane-3")], reason: [variable("warn-fill")] };
    return {
      id: "lanes", type: "custom", xAxisIndex: grid, yAxisIndex: grid, clip: true, silent: true,
      encode: { x: [1, 2], y: 0 }, data: items.map((item) => [item.lane, item.start - this.parts.zero, item.end - this.parts.zero, item.index]),
      renderItem: (_: unknown, api: { value(i: number): number; coord(p: [number, number]): [number, number] }) => {
        const lane = this.parts.lanes[api.value(0)];
        const [x0, y] = api.coord([Math.max(api.value(1), this.from), api.value(0)]);
        const [x1] = api.coord([Math.min(api.value(2), this.to), api.value(0)]);
        const set = colours[lane.kind];
        const height = lane.kind === "iteration" ? 12 : 9;
        return { type: "rect", shape: { x: x0, y: y - height / 2, width: Math.max(1, x1 - x0), height, r: x1 - x0 > 6 ? 1.5 : 0 }, style: { fill: set[api.value(3) % set.length] } };
      },
    };
  }

  private tip(shown: number): HTMLElement | string {
    if (!Number.isFinite(shown)) return "";
    const time = shown + this.parts.zero;
    const lines: HTMLElement[] = [];
    const line = (name: string, value: string): void => void lines.push(h("div", {}, h("span", {}, name + " "), h("b", {}, value)));
    for (const sensor of this.parts.power) {
      const at = this.shown.has(sensor) ? sensor.pyramid.at(time) : null;
      if (at) line(t(sensor.name as Message), at.low === at.high ? powerText(at.low) : threeDigits(at.low) + " – " + powerText(at.high));
    }
    const clock = this.parts.clock?.pyramid.at(time);
    if (clock) line(t("sm_mhz"), threeDigits(clock.high) + " MHz");
    for (const lane of this.parts.lanes) {
      const i = spanAt(lane, time);
      if (i !== null) lines.push(h("div", {}, lane.kind === "reason" ? t("reasons") + ": " + lane.name(i) : lane.name(i)));
    }
    return h("div", { class: "tip" }, h("div", { class: "tip-head" }, shown.toFixed(4) + " s"), lines);
  }
}
