// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { swatch } from "../controls";
import { DataTable, type Column } from "../data_table";
import { showDialog } from "../dialog";
import { h } from "../dom";
import { changeText, countText, energyText, measuredEnergyChange, text, timeText } from "../format";
import { t, word, type Message } from "../messages";
import { choices, type Section } from "../page";
import { categoryColour } from "../theme";
import { named, shortName, type ComparedRow, type ComparisonDocument, type Figures } from "./comparison";
import { signed } from "./change_summary";

const views: [string, Message][] = [["class", "viewClass"], ["operator", "viewOperator"], ["layer", "viewLayer"], ["phase", "viewPhase"], ["category", "viewCategory"]];

const matchText = (row: ComparedRow): string => (row.match === "same" ? "" : t(("match_" + row.match) as Message));

function showRow(row: ComparedRow): void {
  const side = (label: string, figures: Figures | null): HTMLElement[] => [h("h3", {}, label), figures === null ? h("p", {}, "–")
    : h("div", {}, h("p", { class: "full-name" }, figures.name + (figures.detail ? " · " + figures.detail : "")), h("p", {}, [
      figures.energy_j === null ? "" : energyText(figures.energy_j, figures.energy_ci95_j), figures.time_s === null ? "" : timeText(figures.time_s),
      t("launches") + " " + countText(figures.launches)].filter(Boolean).join(" · ")))];
  showDialog(word(shortName(named(row).name)), ...(row.match === "same" ? [] : [h("p", {}, matchText(row))]), ...side(t("before"), row.before), ...side(t("after"), row.after));
}

function nameCell(row: ComparedRow): Node {
  const category = row.view === "class" ? row.category : row.view === "category" ? named(row).name : "";
  return h("span", { class: "name" }, category ? swatch(categoryColour(category)) : null,
    h("button", { type: "button", class: "link", title: named(row).name.slice(0, 600), onclick: () => showRow(row) }, word(shortName(named(row).name))),
    named(row).detail ? h("span", { class: "origin" }, named(row).detail.replace(/, block.*/, "")) : null,
    row.match === "same" ? null : h("span", { class: "flag", title: matchText(row) }, matchText(row)));
}

function columnsOf(hasEnergy: boolean): Column<ComparedRow>[] {
  const columns: Column<ComparedRow>[] = [{ key: "name", head: t("name"), number: false, value: (row) => named(row).name.toLowerCase(), cell: nameCell }];
  const dash = (value: number | null | undefined, show: (value: number) => string): string => (value === null || value === undefined ? "–" : show(value));
  const add = (key: string, head: string, value: (row: ComparedRow) => number | null, cell: (row: ComparedRow) => string, wide = false): void =>
    void columns.push({ key, head, number: true, wide, value, cell });
  if (hasEnergy) {
    add("size", t("change"), (row) => (row.energy_j ? Math.abs(row.energy_j.difference) : null), (row) =>
      row.energy_j ? signed(row.energy_j.difference, text(measuredEnergyChange(row.energy_j.difference, row.energy_j.ci95))) : "–");
    add("relative", "%", (row) => row.energy_j?.relative ?? null, (row) => dash(row.energy_j?.relative, (v) => (row.energy_j!.certain ? changeText(v) : "(" + changeText(v) + ")")));
    add("before", t("before"), (row) => row.before?.energy_j ?? null, (row) => dash(row.before?.energy_j, (v) => energyText(v)), true);
    add("after", t("after"), (row) => row.after?.energy_j ?? null, (row) => dash(row.after?.energy_j, (v) => energyText(v)), true);
  }
  add("time", t("timeChange"), (row) => row.time_s?.difference ?? null, (row) => (row.time_s ? signed(row.time_s.difference, timeText(row.time_s.difference)) : "–"));
  add("timeRelative", "%", (row) => row.time_s?.relative ?? null, (row) => dash(row.time_s?.relative, changeText), true);
  return columns;
}

function csv(rows: ComparedRow[]): unknown[][] {
  const side = (figures: Figures | null): unknown[] => [figures?.name, figures?.detail, figures?.launches, figures?.energy_j, figures?.time_s];
  return [["view", "match", "category", "before_name", "before_detail", "before_launches", "before_energy_j", "before_time_s", "after_name", "after_detail", "after_launches",
    "after_energy_j", "after_time_s", "energy_difference_j", "energy_difference_ci95_low_j", "energy_difference_ci95_high_j", "time_difference_s"],
  ...rows.map((row) => [row.view, row.match, row.category, ...side(row.before), ...side(row.after), row.energy_j?.difference, row.energy_j?.ci95?.[0], row.energy_j?.ci95?.[1], row.time_s?.difference])];
}

export function changeTableSection(document: ComparisonDocument): Section | null {
  if (document.rows.length === 0) return null;
  return {
    id: "table", title: "table",
    render(body) {
      const present = views.filter(([view]) => document.rows.some((row) => row.view === view)).map(([value, message]) => ({ value, label: t(message) }));
      const hasEnergy = document.total.energy_j !== null;
      const numbers = new Map(document.rows.map((row, i) => [row, String(i)]));
      new DataTable<ComparedRow>(body, {
        views: present, chosen: present.some((view) => view.value === choices.view) ? choices.view : present[0].value, choose: (view) => { choices.view = view; },
        rows: (view) => document.rows.filter((row) => row.view === view), columns: () => columnsOf(hasEnergy), sortedBy: () => (hasEnergy ? "size" : ""),
        text: (row) => [row.before?.name, row.after?.name, row.before?.detail, row.after?.detail, matchText(row), word(named(row).name)].join(" "),
        id: (row) => numbers.get(row)!, csv,
      });
    },
  };
}
