// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { segmented, swatch } from "../controls";
import { DataTable, type Column } from "../data_table";
import { h } from "../dom";
import { countText, energyText, measuredEnergy, powerText, shareText, threeDigits, timeText } from "../format";
import { t, word, type Message } from "../messages";
import { choices, type Section } from "../page";
import { isUnattributed, Report, type Row, type View } from "../report";
import { categoryColour } from "../theme";
import { flagText, showRow } from "./details";

const views: [View, Message][] = [["class", "viewClass"], ["operator", "viewOperator"], ["layer", "viewLayer"], ["phase", "viewPhase"],
  ["category", "viewCategory"], ["iteration", "viewIteration"]];

function dash(value: number | null, text: (value: number) => string): string { return value === null ? "–" : text(value); }

function nameCell(report: Report, row: Row): Node {
  const category = row.view === "class" ? report.categoryOf(row) : row.view === "category" ? row.name
    : row.flags.includes("idle") ? "idle" : isUnattributed(row) ? "unattributed" : "";
  const origin = report.origin(row);
  const flags = row.flags.filter((flag) => flag !== "idle" && flag !== "unattributed");
  return h("span", { class: "name" }, category ? swatch(categoryColour(category)) : null,
    h("button", { type: "button", class: "link", title: row.name.slice(0, 600), onclick: () => showRow(report, row) }, word(report.label(row))),
    origin ? h("span", { class: "origin" }, origin) : null,
    flags.length ? h("span", { class: "flag", title: flags.map((flag) => flagText(report, flag)).join("\n") }, flags.join(" ")) : null);
}

function columnsOf(report: Report, view: View): Column<Row>[] {
  const rows = report.rows(view);
  const columns: Column<Row>[] = [{ key: "name", head: t("name"), number: false, value: (row) => report.label(row).toLowerCase(), cell: (row) => nameCell(report, row) }];
  const add = (key: string, head: string, value: (row: Row) => number | null, text: (row: Row) => string, wide = false): void => {
    if (rows.some((row) => value(row) !== null)) columns.push({ key, head, number: true, wide, value, cell: text });
  };
  if (report.hasEnergy) {
    add("energy", t("energy"), (row) => row.energy_j, (row) => dash(row.energy_j, (v) => energyText(v)));
    add("half", "± 95 %", (row) => row.energy_ci95_j && row.energy_j !== null ? row.energy_ci95_j[1] - row.energy_j : null, (row) => {
      if (row.energy_j === null || !row.energy_ci95_j) return "";
      const m = measuredEnergy(row.energy_j, row.energy_ci95_j);
      return "± " + m.half + " " + m.unit;
    }, true);
  }
  add("share", t("share"), (row) => row.share_of_total, (row) => dash(row.share_of_total, shareText));
  add("time", t("time"), (row) => row.time_s, (row) => (row.time_s > 0 ? timeText(row.time_s) : ""));
  add("power", t("power"), (row) => row.power_w, (row) => dash(row.power_w, (v) => powerText(v)));
  add("density", "pJ/FLOP", (row) => row.j_per_flop, (row) => dash(row.j_per_flop, (v) => threeDigits(v * 1e12)), true);
  add("launches", t("launches"), (row) => row.launches, (row) => (row.launches ? countText(row.launches) : ""));
  if (!report.hasEnergy) add("each", t("perLaunch"), (row) => (row.launches ? row.time_s / row.launches : null), (row) => (row.launches ? timeText(row.time_s / row.launches) : ""));
  return columns;
}

function csv(rows: Row[]): unknown[][] {
  const fields = ["view", "id", "parent", "gpu", "rank", "name", "detail", "launches", "time_s", "energy_j", "energy_ci95_low_j", "energy_ci95_high_j",
    "power_w", "share_of_total", "flops", "j_per_flop", "flags"];
  return [fields, ...rows.map((row) => [row.view, row.id, row.parent, row.gpu, row.rank, row.name, row.detail, row.launches, row.time_s, row.energy_j,
    row.energy_ci95_j?.[0], row.energy_ci95_j?.[1], row.power_w, row.share_of_total, row.flops, row.j_per_flop, row.flags.join(";")])];
}

export function tableSection(report: Report): Section {
  return {
    id: "table", title: "table",
    render(body) {
      const present = views.filter(([view]) => report.rows(view).length > 0).map(([value, message]) => ({ value: value as string, label: t(message) }));
      if (present.length === 0) return void body.append(h("p", { class: "notice" }, t("noRows")));
      const several = (report.document.combined?.length ?? 0) > 0;
      const rows = (view: View): Row[] => (several && choices.gpus !== "each" ? report.rowsTogether(view) : report.rows(view));
      const table = new DataTable<Row>(body, {
        views: present, chosen: present.some((view) => view.value === choices.view) ? choices.view : present[0].value,
        choose: (view) => { choices.view = view; },
        rows: (view) => rows(view as View), columns: (view) => columnsOf(report, view as View),
        sortedBy: (view) => (view === "iteration" || view === "layer" ? "" : report.hasEnergy ? "energy" : "time"),
        text: (row) => row.name + " " + row.detail + " " + report.label(row) + " " + word(row.name), id: (row) => String(row.id), csv,
      });
      if (several)
        body.prepend(h("div", { class: "toolbar" }, segmented(t("gpu"), [{ value: "all", label: t("gpusTogether") }, { value: "each", label: t("gpusEach") }],
          choices.gpus === "each" ? "each" : "all", (gpus) => {
            choices.gpus = gpus;
            table.refresh();
          })));
    },
  };
}
