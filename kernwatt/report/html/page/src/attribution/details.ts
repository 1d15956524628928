// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { showDialog } from "../dialog";
import { h } from "../dom";
import { changeText, countText, densityText, energyText, powerText, shareText, threeDigits, timeText } from "../format";
import { t, word, type Message } from "../messages";
import { Report, type Cell, type Row } from "../report";

export function flagText(report: Report, flag: string): string {
  if (flag.startsWith("tied:")) {
    const group = report.document.tied.find((one) => String(one.id) === flag.slice(5));
    return flag + ": " + t("flag_tied") + (group ? " (" + energyText(group.energy_j, group.energy_ci95_j) + ")" : "");
  }
  const message = ("flag_" + flag) as Message;
  const meaning = t(message) as string | undefined;
  return meaning ? flag + ": " + meaning : flag;
}

function facts(report: Report, row: Row): [string, string | Node][] {
  const list: [string, string | Node][] = [];
  const origin = report.origin(row);
  if (origin) list.push([t("gpu"), origin]);
  if (row.detail) list.push([t("grid"), row.detail]);
  if (row.view === "class") list.push([t("category"), word(report.categoryOf(row))]);
  if (row.energy_j !== null) list.push([t("energyWith"), energyText(row.energy_j, row.energy_ci95_j)]);
  if (row.share_of_total !== null) list.push([t("share"), shareText(row.share_of_total)]);
  if (row.time_s > 0) list.push([t("time"), timeText(row.time_s)]);
  if (row.launches > 0) list.push([t("launches"), countText(row.launches) + " · " + timeText(row.time_s / row.launches) + " " + t("perLaunch")]);
  if (row.power_w !== null) list.push([t("powerWith"), powerText(row.power_w, row.power_ci95_w)]);
  if (row.power_at_reference_w !== null) {
    const mhz = report.document.energy.reference_mhz;
    list.push([t("powerReference", { clock: mhz ? Math.round(mhz) + " MHz" : t("referenceTop") }), powerText(row.power_at_reference_w, row.power_at_reference_ci95_w)]);
  }
  if (row.flops !== null) list.push([t("flops"), threeDigits(row.flops / 1e12) + " TFLOP"]);
  if (row.j_per_flop !== null) list.push([t("density"), densityText(row.j_per_flop)]);
  const how = report.how.get(row.id);
  if (how?.time_share_energy_j != null)
    list.push([t("byTimeShare"), energyText(how.time_share_energy_j) + (row.energy_j ? " (" + changeText(how.time_share_energy_j / row.energy_j - 1) + "), " : ", ") + t("byTimeShareNote")]);
  if (how) list.push([t("howCame"), h("span", { lang: "en" }, how.how)]);
  return list;
}

interface Part { row: Row; joules: number | null; seconds: number; measured: number; launches: number }

/** The cells summed over another view: the operators of a layer, the layers of a class. */
export function partsOf(report: Report, cells: Cell[], by: "operator" | "layer" | "class"): Part[] {
  const parts = new Map<string, Part>();
  for (const cell of cells) {
    const key = report.row(cell[by]).name + "\n" + report.row(cell[by]).detail;  // one on all GPUs
    let part = parts.get(key);
    if (!part) parts.set(key, part = { row: report.row(cell[by]), joules: null, seconds: 0, measured: 0, launches: 0 });
    if (cell.energy_j !== null) part.joules = (part.joules ?? 0) + cell.energy_j;
    part.seconds += cell.time_s;
    part.measured += cell.measured_s;
    part.launches += cell.launches;
  }
  return [...parts.values()].sort((a, b) => (b.joules ?? b.seconds) - (a.joules ?? a.seconds));
}

export function partsTable(report: Report, parts: Part[], heading: string, most = 60): HTMLElement {
  const whole = parts.reduce((sum, part) => sum + (report.hasEnergy ? part.joules ?? 0 : part.seconds), 0) || 1;
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, heading),
      report.hasEnergy ? h("th", { scope: "col", class: "number" }, t("energy")) : null, h("th", { scope: "col", class: "number" }, t("time")),
      report.hasEnergy ? h("th", { scope: "col", class: "number" }, t("power")) : null,
      h("th", { scope: "col", class: "number" }, t("launches")), h("th", { scope: "col", class: "number" }, t("share")))),
    h("tbody", {}, parts.slice(0, most).map((part) => h("tr", {},
      h("th", { scope: "row", title: part.row.name }, h("span", { class: "name" }, word(report.label(part.row)))),
      report.hasEnergy ? h("td", { class: "number" }, part.joules === null ? "–" : energyText(part.joules)) : null,
      h("td", { class: "number" }, timeText(part.seconds)),
      report.hasEnergy ? h("td", { class: "number" }, part.joules === null || part.measured <= 0 ? "–" : powerText(part.joules / part.measured)) : null,
      h("td", { class: "number" }, countText(part.launches)),
      h("td", { class: "number" }, shareText((report.hasEnergy ? part.joules ?? 0 : part.seconds) / whole))))));
}

/** Everything about one row. */
export function showRow(report: Report, row: Row): void {
  const content: Node[] = [];
  content.push(h("p", { class: "full-name" }, row.name));
  content.push(h("dl", { class: "facts" }, facts(report, row).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
  if (row.flags.length) content.push(h("ul", { class: "flags" }, row.flags.map((flag) => h("li", {}, flagText(report, flag)))));
  const view = row.view;
  if (view === "class" || view === "operator" || view === "layer" || view === "phase") {
    const cells = report.cellsOf(row);
    const by = view === "class" ? "layer" : view === "operator" ? "class" : "operator";
    const parts = partsOf(report, cells, by);
    if (parts.length > 1)
      content.push(h("h3", {}, view === "class" ? t("whereUsed") : by === "class" ? t("viewClass") : t("viewOperator")),
        partsTable(report, parts, by === "layer" ? t("layer") : by === "class" ? t("viewClass") : t("operator")));
  }
  showDialog(word(report.label(row)), ...content);
}
