// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { segmented, swatch } from "../controls";
import { append, h, replace } from "../dom";
import { changeText, energyUnit, measuredEnergyChange, text, threeDigits, timeText, timeUnit } from "../format";
import { t, word, type Message } from "../messages";
import { choices, onThemeChange, type Section } from "../page";
import { categoryColour } from "../theme";
import { named, shortName, type ComparedRow, type ComparisonDocument } from "./comparison";
import { signed } from "./change_summary";

const most = 16;
const views: [string, Message][] = [["category", "viewCategory"], ["phase", "viewPhase"], ["layer", "viewLayer"], ["operator", "viewOperator"], ["class", "viewClass"]];

/** The largest changes as bars to both sides of zero, each with its interval. */
class ChangeBars {
  private view: string;
  private quantity: "energy_j" | "time_s";
  private readonly holder = h("div", { class: "bars" });

  constructor(private readonly document: ComparisonDocument, body: HTMLElement) {
    const present = views.filter(([view]) => document.rows.some((row) => row.view === view));
    this.view = present.some(([view]) => view === choices.bars) ? choices.bars : (present[0]?.[0] ?? "class");
    const hasEnergy = document.total.energy_j !== null;
    this.quantity = hasEnergy && choices.barQuantity !== "time_s" ? "energy_j" : "time_s";
    append(body, [h("p", { class: "intro" }, t("barsIntro")), h("div", { class: "toolbar" },
      segmented(t("view"), present.map(([value, message]) => ({ value, label: t(message) })), this.view, (view) => {
        choices.bars = this.view = view;
        this.show();
      }), hasEnergy ? segmented(t("measure"), [{ value: "energy_j", label: t("joules") }, { value: "time_s", label: t("seconds") }], this.quantity, (quantity) => {
        choices.barQuantity = this.quantity = quantity as "energy_j" | "time_s";
        this.show();
      }) : null), this.holder]);
    onThemeChange(() => this.show());
    this.show();
  }

  private show(): void {
    const rows = this.document.rows.filter((row) => row.view === this.view && row[this.quantity])
      .sort((a, b) => Math.abs(b[this.quantity]!.difference) - Math.abs(a[this.quantity]!.difference)).slice(0, most);
    let reach = 0;
    for (const row of rows) {
      const { difference, ci95 } = row[this.quantity]!;
      reach = Math.max(reach, Math.abs(difference), Math.abs(ci95?.[0] ?? 0), Math.abs(ci95?.[1] ?? 0));
    }
    reach = reach || 1;
    const unit = this.quantity === "energy_j" ? energyUnit(reach) : timeUnit(reach);
    const at = (value: number): string => 50 + (50 * value) / reach + "%";
    const axis = (value: number): HTMLElement => h("span", { style: { left: at(value) } }, (value > 0 ? "+" : value < 0 ? "−" : "") + threeDigits(Math.abs(value) / unit.size) + (value === 0 ? " " + unit.name : ""));
    replace(this.holder, h("ul", {}, rows.map((row) => this.bar(row, at))),
      h("div", { class: "bar-axis", "aria-hidden": "true" }, h("span"), h("div", {}, [-reach, -reach / 2, 0, reach / 2, reach].map(axis)), h("span")));
  }

  private bar(row: ComparedRow, at: (value: number) => string): HTMLElement {
    const change = row[this.quantity]!;
    const { difference, ci95 } = change;
    const value = signed(difference, this.quantity === "energy_j" ? text(measuredEnergyChange(difference, ci95)) : timeText(difference));
    const category = row.view === "class" ? row.category : row.view === "category" ? named(row).name : "";
    const from = difference < 0 ? difference : 0;
    const to = difference < 0 ? 0 : difference;
    return h("li", { class: change.certain ? (difference > 0 ? "worse" : "better") : "unsure" },
      h("span", { class: "bar-name", title: named(row).name }, category ? swatch(categoryColour(category)) : null, word(shortName(named(row).name)),
        row.match === "new" || row.match === "gone" ? h("em", {}, t(row.match === "new" ? "match_new" : "match_gone")) : null),
      h("span", { class: "bar-track", "aria-hidden": "true" }, h("i", { class: "zero" }),
        h("i", { class: "bar", style: { left: at(from), right: "calc(100% - " + at(to) + ")" } }),
        ci95 ? h("i", { class: "whisker", style: { left: at(ci95[0]), right: "calc(100% - " + at(ci95[1]) + ")" } }) : null),
      h("span", { class: "bar-value" }, value + (change.relative === null ? "" : " · " + changeText(change.relative))));
  }
}

export function changeBarsSection(document: ComparisonDocument): Section | null {
  return document.rows.length === 0 ? null : { id: "changes", title: "changes", render: (body) => void new ChangeBars(document, body) };
}
