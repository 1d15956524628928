// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h, replace } from "../dom";
import { countText, powerText, threeDigits } from "../format";
import { t, type Message } from "../messages";
import type { Section } from "../page";
import { Report, type Row } from "../report";
import { Series, type GpuSeries, type Sensor } from "../series";
import { lanesOf } from "./lanes";
import { PowerChart, type ChartParts } from "./power_chart";

/** The readings of one GPU, with the rows that ran on it. */
interface Choice { label: string; gpus: GpuSeries[]; of: (row: Row) => boolean; account: number | null }

function choicesOf(report: Report, series: Series): Choice[] {
  const accounts = report.document.energy.gpus ?? [];
  const list: Choice[] = accounts.map((account, i) => ({
    label: account.gpu || "GPU " + i, account: i, gpus: series.gpus.filter((gpu) => gpu.account === i), of: (row: Row) => row.gpu === i }));
  for (const gpu of series.gpus)
    if (gpu.account === null && gpu.sensors.length > 0)
      list.push({ label: gpu.file.split("/").pop() + (gpu.gpu ? " · " + gpu.gpu : ""), account: null, gpus: [gpu], of: () => false });
  return list;
}

export const isPower = (sensor: Sensor): boolean => sensor.name.startsWith("power_");
const order = ["power_instant_w", "power_samples_w", "power_draw_w", "power_counter_w", "power_average_w"];

function sensorsOf(choice: Choice): Sensor[] {
  return choice.gpus.flatMap((gpu) => gpu.sensors);
}

function unitOf(name: string): string { return name.endsWith("_w") ? "W" : name.endsWith("_mhz") ? "MHz" : "°C"; }

function numbers(sensors: Sensor[]): HTMLElement {
  return h("details", { class: "numbers" }, h("summary", {}, t("powerTable")),
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, [t("sensorCol"), t("readings"), t("least"), t("most")].map((name, i) =>
      h("th", { scope: "col", class: i ? "number" : undefined }, name)))),
    h("tbody", {}, sensors.map((sensor) => {
      const top = sensor.pyramid.levels[sensor.pyramid.levels.length - 1];
      const unit = " " + unitOf(sensor.name);
      return h("tr", {}, h("th", { scope: "row" }, t(sensor.name as Message)), h("td", { class: "number" }, countText(sensor.readings)),
        h("td", { class: "number" }, threeDigits(top.low.reduce((a, b) => Math.min(a, b), Infinity)) + unit),
        h("td", { class: "number" }, threeDigits(top.high.reduce((a, b) => Math.max(a, b), -Infinity)) + unit));
    }))));
}

function traceRange(report: Report, series: Series, choice: Choice): [number, number] | null {
  let from = Infinity;
  let to = -Infinity;
  for (const [id, spans] of series.spans) {
    if (!choice.of(report.row(id)) || spans.length === 0) continue;
    from = Math.min(from, spans[0].start);
    to = Math.max(to, spans[spans.length - 1].end);
  }
  return to > from ? [from, to] : null;
}

function partsOf(report: Report, series: Series, choice: Choice): ChartParts {
  const sensors = sensorsOf(choice);
  const power = sensors.filter(isPower).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const clock = sensors.find((sensor) => sensor.name === "sm_mhz") ?? null;
  const trace = traceRange(report, series, choice);
  let from = trace?.[0] ?? Infinity;
  let to = trace?.[1] ?? -Infinity;
  for (const { pyramid } of clock ? [...power, clock] : power) {
    if (pyramid.size === 0) continue;
    from = Math.min(from, pyramid.time[0]);
    to = Math.max(to, pyramid.time[pyramid.size - 1]);
  }
  // Ranks of one job count from one zero; recordings of different days do not.
  const zero = trace && Math.abs(trace[0]) > 3600 ? trace[0] : 0;
  const limits = choice.gpus.map((gpu) => gpu.limit).filter((limit): limit is number => limit !== null);
  return { power, clock, lanes: lanesOf(report, series, choice.of, choice.gpus), zero, whole: [from - zero, to - zero],
    trace: trace && [trace[0] - zero, trace[1] - zero], limit: limits[0] ?? null };
}

function originText(series: Series, zero: number): string {
  // Smaller numbers count from the trace's own zero, not from the epoch.
  const originNs = series.originNs + zero * 1e9;
  return originNs > 1e17 ? new Date(originNs / 1e6).toISOString().replace("T", " ").replace("Z", " UTC")
    : threeDigits(originNs * 1e-9) + " s";
}

export function powerSection(report: Report, series: Series): Section | null {
  const all = choicesOf(report, series);
  const drawable = all.filter((choice) => sensorsOf(choice).length > 0 || traceRange(report, series, choice) !== null);
  if (drawable.length === 0) return null;
  const anyPower = drawable.some((choice) => sensorsOf(choice).some(isPower));
  return {
    id: "power", title: anyPower ? "powerOverTime" : "traceOnly",
    render(body) {
      if (!anyPower) body.append(h("p", { class: "intro" }, t("noPowerLanes")));
      const holder = h("div");
      const show = (choice: Choice): void => {
        replace(holder);
        const parts = partsOf(report, series, choice);
        new PowerChart(holder, parts);
        const reduced = sensorsOf(choice).filter((sensor) => sensor.perBucket > 1);
        holder.append(h("p", { class: "note" }, t("powerHelp", { origin: originText(series, parts.zero) }),
          reduced.map((sensor) => " " + t("powerBuckets", { name: t(sensor.name as Message), n: sensor.perBucket })),
          parts.limit !== null ? " " + t("limit", { power: powerText(parts.limit) }) + "." : ""));
        if (sensorsOf(choice).length) holder.append(numbers(sensorsOf(choice)));
      };
      if (drawable.length > 1)
        body.append(h("label", { class: "select" }, t("gpu") + " ", h("select", { onchange: (event: Event) =>
          show(drawable[(event.target as HTMLSelectElement).selectedIndex]) }, drawable.map((choice) => h("option", {}, choice.label)))));
      body.append(holder);
      show(drawable[0]);
    },
  };
}
