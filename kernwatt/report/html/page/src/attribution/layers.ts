// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { showDialog } from "../dialog";
import { segmented } from "../controls";
import { append, h, replace } from "../dom";
import { changeText, energyText, powerText, shareText, threeDigits, timeText } from "../format";
import { t, word } from "../messages";
import { choices, onThemeChange, type Section } from "../page";
import { isWork, Report, type Cell, type Row } from "../report";
import { scaleColour, textOn } from "../theme";
import { partsOf, partsTable } from "./details";

type Quantity = "joules" | "watts" | "seconds" | "density";

interface Sum { joules: number | null; seconds: number; measured: number; flops: number | null; cells: Cell[] }

function emptySum(): Sum { return { joules: null, seconds: 0, measured: 0, flops: 0, cells: [] }; }

function addCell(sum: Sum, cell: Cell): void {
  if (cell.energy_j !== null) sum.joules = (sum.joules ?? 0) + cell.energy_j;
  sum.seconds += cell.time_s;
  sum.measured += cell.measured_s;
  sum.flops = sum.flops === null || cell.flops === null ? null : sum.flops + cell.flops;
  sum.cells.push(cell);
}

/** The readings may cover only a part of the launches; power × time is then what all of them drew. */
function wholeJoules(sum: Sum): number | null {
  return sum.joules === null || sum.measured <= 0 ? null : (sum.joules / sum.measured) * sum.seconds;
}

function quantityOf(sum: Sum | undefined, quantity: Quantity): number | null {
  if (!sum || sum.seconds <= 0) return null;
  switch (quantity) {
    case "joules": return sum.joules;
    case "seconds": return sum.seconds;
    case "watts": return sum.joules === null || sum.measured <= 0 ? null : sum.joules / sum.measured;
    case "density": return sum.joules === null || !sum.flops ? null : wholeJoules(sum)! / sum.flops;
  }
}

function quantityText(value: number, quantity: Quantity): string {
  switch (quantity) {
    case "joules": return energyText(value);
    case "seconds": return timeText(value);
    case "watts": return powerText(value);
    case "density": return threeDigits(value * 1e12) + " pJ/FLOP";
  }
}

/** Layers of one kind have one name but for their numbers. */
const kindOf = (name: string): string => name.replace(/\d+/g, "#");

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const differs = 0.15;
const fewestOfKind = 3;

class LayerMap {
  private readonly layers: string[] = [];
  private readonly phases: string[] = [];
  private readonly sums = new Map<string, Sum>();
  private quantity: Quantity;
  private readonly holder = h("div", { class: "heat-scroll", tabindex: 0, role: "group", "aria-label": t("layers") });
  private readonly legend = h("div", { class: "heat-legend" });

  constructor(private readonly report: Report, body: HTMLElement) {
    this.gather();
    const options: { value: Quantity; label: string }[] = [];
    if (report.hasEnergy) options.push({ value: "joules", label: t("joules") }, { value: "watts", label: t("watts") });
    options.push({ value: "seconds", label: t("seconds") });
    if ([...this.sums.values()].some((sum) => quantityOf(sum, "density") !== null)) options.push({ value: "density", label: t("density") });
    this.quantity = options.some((option) => option.value === choices.layers) ? choices.layers as Quantity : options[0].value;
    append(body, [h("p", { class: "intro" }, t("layersIntro")), h("div", { class: "toolbar" }, this.legend,
      options.length > 1 ? segmented(t("quantity"), options, this.quantity, (quantity) => {
        choices.layers = this.quantity = quantity;
        this.show();
      }) : null), this.holder, this.coverNote()]);
    onThemeChange(() => this.show());
    this.show();
  }

  /** Rows of one name on several GPUs are one layer. */
  private gather(): void {
    for (const row of this.report.rows("layer")) if (!this.layers.includes(row.name)) this.layers.push(row.name);
    for (const row of this.report.rows("phase")) if (isWork(row) && !this.phases.includes(row.name)) this.phases.push(row.name);
    for (const cell of this.report.cells) {
      const layer = this.report.row(cell.layer).name;
      const phase = this.report.row(cell.phase).name;
      for (const key of [layer + "\n" + phase, layer + "\n"]) {
        let sum = this.sums.get(key);
        if (!sum) this.sums.set(key, sum = emptySum());
        addCell(sum, cell);
      }
    }
    this.phases.splice(0, this.phases.length, ...this.phases.filter((phase) => this.layers.some((layer) => this.sums.has(layer + "\n" + phase))));
  }

  private get columns(): string[] { return this.phases.length > 1 ? [...this.phases, ""] : [""]; }

  /** What layers are compared by: like launches, also where the readings cover some of them only. */
  private comparable(layer: string, phase: string): number | null {
    const sum = this.sums.get(layer + "\n" + phase);
    return sum && this.quantity === "joules" ? wholeJoules(sum) : quantityOf(sum, this.quantity);
  }

  private value(layer: string, phase: string): number | null { return quantityOf(this.sums.get(layer + "\n" + phase), this.quantity); }

  /** How far a cell is from the median of its kind, where that is worth a mark. */
  private difference(layer: string, phase: string): { change: number; count: number } | null {
    const value = this.comparable(layer, phase);
    if (value === null || !/\d/.test(layer)) return null;
    const kind = this.layers.filter((other) => kindOf(other) === kindOf(layer));
    if (kind.length < fewestOfKind) return null;
    const values = kind.map((other) => this.comparable(other, phase)).filter((v): v is number => v !== null);
    const middle = median(values);
    const change = value / middle - 1;
    if (!(Math.abs(change) > differs)) return null;
    // A difference of next to nothing is not worth a mark.
    const extensive = this.quantity === "joules" || this.quantity === "seconds";
    const wholes = kind.map((other) => this.comparable(other, "")).filter((v): v is number => v !== null);
    if (extensive && Math.abs(value - middle) < 0.01 * median(wholes)) return null;
    return { change, count: kind.length };
  }

  private show(): void {
    const columns = this.columns;
    const inner = this.layers.filter((layer) => /\d/.test(layer) || this.layers.length < 4);
    const scaled = (inner.length ? inner : this.layers);
    const range = (phases: string[]): [number, number] => {
      const values = scaled.flatMap((layer) => phases.map((phase) => this.value(layer, phase))).filter((v): v is number => v !== null);
      return values.length ? [this.quantity === "joules" || this.quantity === "seconds" ? 0 : Math.min(...values), Math.max(...values)] : [0, 1];
    };
    const cellRange = range(this.phases.length > 1 ? this.phases : [""]);
    let marks = 0;
    let ofKind = 0;
    const rows = this.layers.map((layer) => h("tr", {},
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => this.open(layer, "") }, word(layer))),
      columns.map((phase) => {
        const value = this.value(layer, phase);
        if (value === null) return h("td", { class: "heat none" }, "–");
        const [low, high] = cellRange;
        const colour = scaleColour(high > low ? (value - low) / (high - low) : 0.5);
        const off = this.difference(layer, phase);
        if (off) {
          ++marks;
          ofKind = Math.max(ofKind, off.count);
        }
        const what = off ? t(off.change > 0 ? "outlierAbove" : "outlierBelow", { change: changeText(Math.abs(off.change)).slice(1) }) : "";
        const name = [word(layer), phase ? word(phase) : t("allPhases"), quantityText(value, this.quantity), what].filter(Boolean).join(", ");
        return h("td", { class: "heat" + (off ? " off" : "") },
          h("button", { type: "button", "aria-label": name, title: name, class: phase === "" && columns.length > 1 ? "whole" : undefined,
            style: phase === "" && columns.length > 1 ? {} : { background: colour, color: textOn(colour) },
            onclick: () => this.open(layer, phase) },
          off ? h("span", { class: "mark", "aria-hidden": "true" }, off.change > 0 ? "▲" : "▼") : null, quantityText(value, this.quantity)));
      })));
    replace(this.holder, h("table", { class: "heatmap" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("layer")), columns.map((phase) => h("th", { scope: "col" }, phase ? word(phase) : t("allPhases"))))),
      h("tbody", {}, rows)));
    this.showLegend(cellRange, marks > 0 ? ofKind : 0);
  }

  private coverNote(): HTMLElement | null {
    const rows = this.report.cells;
    const seconds = rows.reduce((sum, cell) => sum + cell.time_s, 0);
    const known = rows.filter((cell) => cell.measured_s > 0).reduce((sum, cell) => sum + Math.min(cell.time_s, cell.measured_s), 0);
    return this.report.hasEnergy && known < 0.98 * seconds ? h("p", { class: "note" }, t("coverNote", { share: shareText(known / seconds) })) : null;
  }

  private showLegend([low, high]: [number, number], ofKind: number): void {
    replace(this.legend, h("span", {}, quantityText(low, this.quantity)),
      h("span", { class: "ramp", "aria-hidden": "true" }, Array.from({ length: 9 }, (_, i) => h("i", { style: { background: scaleColour(i / 8) } }))),
      h("span", {}, quantityText(high, this.quantity)),
      ofKind ? h("span", { class: "outlier-note" }, t("outlierNote", { count: ofKind })) : null);
  }

  private open(layer: string, phase: string): void {
    const sum = this.sums.get(layer + "\n" + phase);
    if (!sum) return;
    const parts = partsOf(this.report, sum.cells, "operator");
    showDialog(t("operatorsOf", { name: word(layer) + (phase ? " · " + word(phase) : "") }),
      h("p", {}, (["joules", "watts", "seconds", "density"] as Quantity[]).map((quantity) => [quantity, quantityOf(sum, quantity)] as const)
        .filter(([, value]) => value !== null).map(([quantity, value]) => quantityText(value!, quantity)).join(" · ")),
      partsTable(this.report, parts, t("operator")));
  }
}

export const realLayers = (report: Report): Row[] => report.rows("layer").filter((row) => row.name !== "(no layer)");

export function layersSection(report: Report): Section | null {
  if (report.cells.length === 0 || realLayers(report).length === 0)
    return { id: "layers", title: "layers", render: (body) => body.append(h("p", { class: "notice" }, t("layersNone"))) };
  return { id: "layers", title: "layers", render: (body) => void new LayerMap(report, body) };
}
