// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom";
import { countText, energyText, halfWidth, powerText, shareText, threeDigits, timeText } from "../format";
import { t } from "../messages";
import type { Section } from "../page";
import { Report } from "../report";

interface Tile { label: string; value: string; unit: string; sub?: string; id: string }

function split(text: string): { value: string; unit: string } {
  const at = text.lastIndexOf(" ");
  return { value: text.slice(0, at), unit: text.slice(at + 1) };
}

function iterationSub(report: Report): string {
  const iterations = report.document.iterations;
  const key = iterations.found_by === "marks" ? "iterationsMarked"
    : iterations.found_by === "period" ? "iterationsPeriod" : "iterationsOther";
  return t(key, { count: countText(iterations.count), time: timeText(iterations.period_s ?? 0) });
}

function energyTiles(report: Report): Tile[] {
  const { energy, iterations } = report.document;
  const total = energy.total_j!;
  const tiles: Tile[] = [];
  const span = energy.start_ns !== null && energy.end_ns !== null ? (energy.end_ns - energy.start_ns) * 1e-9 : 0;
  const severalSub = report.severalGpus ? countText(energy.gpus!.length) + " GPU" : undefined;
  tiles.push({ id: "total", label: t("energy"), ...split(energyText(total)), sub: severalSub ?? (span > 0 ? t("overTime", { time: timeText(span) }) : undefined) });
  if (iterations.energy_j !== null)
    tiles.push({ id: "iteration", label: t("perIteration"), ...split(energyText(iterations.energy_j, iterations.energy_ci95_j)), sub: iterationSub(report) });
  if (iterations.tokens_per_joule !== null)
    tiles.push({ id: "tokens", label: t("tokensPerJoule"), value: threeDigits(iterations.tokens_per_joule), unit: t("tokensUnit"),
      sub: t("joulesPerToken", { value: energyText(1 / iterations.tokens_per_joule) }) });
  if (span > 0 && !report.severalGpus)
    tiles.push({ id: "power", label: t("meanPower"), ...split(powerText(total / span)), sub: t("overTime", { time: timeText(span) }) });
  if (energy.idle_j !== null)
    tiles.push({ id: "idle", label: t("idle"), ...split(shareText(energy.idle_j / total)),
      sub: energy.execution_idle_w !== null ? t("idlePower", { power: powerText(energy.execution_idle_w, energy.execution_idle_ci95_w) })
        : energyText(energy.idle_j) });
  if (energy.unattributed_j !== null)
    tiles.push({ id: "unattributed", label: t("unattributed"), ...split(shareText(energy.unattributed_j / total)), sub: t("unattributedSub") });
  return tiles;
}

function timeTiles(report: Report): Tile[] {
  const { traces, iterations } = report.document;
  const sum = (of: (trace: typeof traces[0]) => number): number => traces.reduce((all, trace) => all + of(trace), 0);
  const busy = sum((trace) => trace.busy_union_ns) * 1e-9;
  const span = sum((trace) => trace.start_ns === null || trace.end_ns === null ? 0
    : (trace.end_ns - trace.start_ns) * Math.max(1, trace.gpus.length)) * 1e-9;
  const tiles: Tile[] = [
    { id: "busy", label: t("busy"), ...split(span > 0 ? shareText(Math.min(1, busy / span)) : timeText(busy)), sub: t("busyOf", { busy: timeText(busy), span: timeText(span) }) },
    { id: "kernels", label: t("kernels"), value: countText(sum((trace) => trace.kernels)), unit: "",
      sub: t("kernelsOf", { count: countText(Math.max(...traces.map((trace) => trace.distinct_names))) }) }];
  if (iterations.count > 0 && iterations.period_s !== null)
    tiles.push({ id: "period", label: t("perIterationTime"), ...split(timeText(iterations.period_s)), sub: iterationSub(report) });
  const comm = sum((trace) => trace.comm_ns) * 1e-9;
  if (comm > 0)
    tiles.push({ id: "comm", label: t("communication"), ...split(timeText(comm)),
      sub: t("exposed", { time: timeText(comm - sum((trace) => trace.comm_overlapped_ns) * 1e-9) }) });
  return tiles;
}

function plural(n: number, many: "errors" | "warnings" | "notes", one: "error1" | "warning1" | "note1"): string {
  return n === 1 ? t(one) : t(many, { n });
}

/** Half of the interval of a class, relative, weighed by energy: how well a typical joule is placed. Of a tied group,
 *  whose parts are not known, the sum counts. */
function typicalSpread(report: Report): number | null {
  let joules = 0;
  let spread = 0;
  const tied = new Set(report.document.tied.flatMap((group) => group.rows));
  for (const one of [...report.rows("class").filter((row) => !tied.has(row.id)), ...report.document.tied]) {
    const half = one.energy_j === null ? null : halfWidth(one.energy_j, one.energy_ci95_j);
    if (one.energy_j === null || half === null || one.energy_j <= 0) continue;
    joules += one.energy_j;
    spread += Math.min(half, one.energy_j);
  }
  return joules > 0 ? spread / joules : null;
}

function trust(report: Report): HTMLElement {
  const { energy, quality } = report.document;
  const count = (severity: string): number => quality.filter((entry) => entry.severity === severity).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("info")];
  const unattributed = energy.total_j ? Math.abs((energy.unattributed_j ?? 0) / energy.total_j) : 0;
  const sentences: string[] = [];
  if (!report.hasEnergy) sentences.push(t("trustNone"));
  else if (energy.source.startsWith("mixed")) sentences.push(t("trustMixed"));
  else sentences.push(energy.source.startsWith("counter") ? t("trustCounter") : t("trustIntegral"));
  const spread = report.hasEnergy ? typicalSpread(report) : null;
  if (spread !== null) sentences.push(t("trustSpread", { share: shareText(spread) }));
  if (unattributed >= 0.01) sentences.push(t("trustUnattributed", { share: shareText(unattributed) }));
  const tied = report.document.tied.reduce((sum, group) => sum + group.rows.length, 0);
  if (tied > 0) sentences.push(t("trustTied", { count: tied }));
  const words = { errors: plural(errors, "errors", "error1"), warnings: plural(warnings, "warnings", "warning1"), notes: plural(notes, "notes", "note1") };
  sentences.push(errors + warnings > 0 ? t("trustLedger", words) : t("trustClean", words));
  const [level, verdict] = errors > 0 ? ["bad", t("trustPartly")] as const
    : warnings > 0 || unattributed > 0.05 || (spread ?? 0) > 0.15 ? ["fair", t("trustCare")] as const
      : report.hasEnergy ? ["good", t("trustGood")] as const : ["fair", t("trustTime")] as const;
  return h("div", { class: "trust " + level },
    h("h3", {}, t("trust") + ": ", h("strong", {}, verdict)),
    h("p", {}, sentences.join(" "), " ", h("a", { href: "#ledger" }, t("seeLedger"))));
}

/** Attributed, idle and unattributed as one bar. */
function partsBar(report: Report): HTMLElement | null {
  const energy = report.document.energy;
  if (!energy.total_j || energy.attributed_j === null) return null;
  const parts = [["attributed", energy.attributed_j], ["idle", energy.idle_j ?? 0], ["unattributed", energy.unattributed_j ?? 0]] as const;
  const whole = parts.reduce((sum, [, joules]) => sum + Math.max(0, joules), 0);
  return h("div", { class: "parts" },
    h("div", { class: "parts-bar", "aria-hidden": "true" }, parts.map(([name, joules]) =>
      h("span", { class: "part-" + name, style: { width: (100 * Math.max(0, joules)) / whole + "%" } }))),
    h("ul", { class: "parts-legend" }, parts.map(([name, joules]) =>
      h("li", {}, h("span", { class: "swatch part-" + name, "aria-hidden": "true" }), t(name) + " ",
        h("b", { "data-part": name }, energyText(joules)), " · " + shareText(joules / energy.total_j!)))));
}

export function summarySection(report: Report): Section {
  return {
    id: "summary", title: "summary",
    render(body) {
      const tiles = report.hasEnergy ? energyTiles(report) : timeTiles(report);
      if (!report.hasEnergy) body.append(h("p", { class: "notice" }, t("subtitleTime")));
      body.append(h("dl", { class: "tiles" }, tiles.map((tile) =>
        h("div", { class: "tile", "data-tile": tile.id }, h("dt", {}, tile.label),
          h("dd", {}, h("span", { class: "figure" }, tile.value), tile.unit ? h("span", { class: "unit" }, " " + tile.unit) : null,
            tile.sub ? h("span", { class: "sub" }, tile.sub) : null)))));
      const bar = partsBar(report);
      if (bar) body.append(bar);
      body.append(trust(report));
    },
  };
}

