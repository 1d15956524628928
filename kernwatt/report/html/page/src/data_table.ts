// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { segmented } from "./controls";
import { append, freshId, h, oncePerFrame, replace } from "./dom";
import { countText } from "./format";
import { t } from "./messages";
import { onRerender, onThemeChange } from "./page";

export interface Column<T> {
  key: string;
  head: string;
  number: boolean;
  wide?: boolean;  ///< left out where there is little room
  value(row: T): number | string | null;  ///< to sort by
  cell(row: T): Node | string;
}

export interface TableSource<T> {
  views: { value: string; label: string }[];
  chosen: string;
  choose(view: string): void;
  rows(view: string): T[];
  columns(view: string): Column<T>[];
  /** The column that the view is sorted by at first; empty: the order in which the rows come. */
  sortedBy(view: string): string;
  text(row: T): string;  ///< to search in
  id(row: T): string;
  csv(rows: T[]): unknown[][];
}

const rowHeight = 34;
const paperRows = 40;

function csvText(lines: unknown[][]): string {
  const quoted = (value: unknown): string => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return lines.map((values) => values.map(quoted).join(",")).join("\n") + "\n";
}

/** Rows of a view: sorted, searched, copied; only those on screen are in the document, so that there may be very many. */
export class DataTable<T> {
  private view: string;
  private sortKey = "";
  private descending = true;
  private query = "";
  private rows: T[] = [];
  private columns: Column<T>[] = [];
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly paperNote = h("p", { class: "note print-only" });
  private readonly head = h("thead");
  private readonly bodyRows = h("tbody");
  private readonly table;
  private readonly scroller;
  private readonly fallback = h("textarea", { class: "csv", readonly: true, hidden: true, "aria-label": "CSV" });

  constructor(body: HTMLElement, private readonly source: TableSource<T>) {
    this.view = source.chosen;
    this.table = h("table", { class: "figures big", "aria-label": t("table") }, this.head, this.bodyRows);
    this.scroller = h("div", { class: "table-scroll", tabindex: 0, role: "group", "aria-label": t("table"), onscroll: oncePerFrame(() => this.fill()) }, this.table);
    const search = h("input", { type: "search", placeholder: t("search"), "aria-label": t("search"), id: freshId("search"), oninput: (event: Event) => {
      this.query = (event.target as HTMLInputElement).value.trim().toLowerCase();
      this.show();
    } });
    append(body, [
      source.views.length > 1 ? h("div", { class: "toolbar" }, segmented(t("view"), source.views, this.view, (view) => {
        source.choose(view);
        this.view = view;
        this.sortKey = "";
        this.show();
      })) : null,
      h("div", { class: "toolbar" }, search, h("button", { type: "button", onclick: () => void this.copy() }, t("copyCsv"))),
      this.scroller, this.fallback, this.status, this.paperNote]);
    const before = (): void => this.fill(true);
    const after = (): void => this.fill();
    onThemeChange(() => this.fill());
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    onRerender(() => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    });
    this.show();
  }

  /** The source has other rows now. */
  refresh(): void { this.show(); }

  private matching(): T[] {
    const rows = this.source.rows(this.view);
    return this.query ? rows.filter((row) => this.source.text(row).toLowerCase().includes(this.query)) : [...rows];
  }

  private sort(): void {
    if (!this.sortKey) {
      this.sortKey = this.source.sortedBy(this.view);
      this.descending = true;
    }
    const column = this.columns.find((one) => one.key === this.sortKey);
    if (!column) return;
    const sign = this.descending ? -1 : 1;
    const keyed = this.rows.map((row) => ({ row, key: column.value(row) }));
    keyed.sort((a, b) => {
      if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
      return (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * sign;
    });
    this.rows = keyed.map((one) => one.row);
  }

  private show(): void {
    this.columns = this.source.columns(this.view);
    this.rows = this.matching();
    this.sort();
    this.showHead();
    this.fallback.hidden = true;
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    const all = this.source.rows(this.view).length;
    replace(this.status, this.rows.length ? t("rowsShown", { shown: countText(this.rows.length), count: countText(all) }) : t("noRows"));
    replace(this.paperNote, this.rows.length > paperRows ? t("printedOnly", { shown: paperRows, count: this.rows.length }) : null);
    this.scroller.scrollTop = 0;
    this.scroller.style.setProperty("--rows", String(Math.min(this.rows.length, 14)));
    this.fill();
  }

  private showHead(): void {
    replace(this.head, h("tr", {}, this.columns.map((column, i) => {
      const sorted = column.key === this.sortKey;
      return h("th", { scope: "col", class: (column.number ? "number" : "") + (column.wide ? " wide" : ""),
        "aria-sort": sorted ? (this.descending ? "descending" : "ascending") : "none" },
      h("button", { type: "button", class: "sort", onclick: () => {
        this.descending = sorted ? !this.descending : column.number;
        this.sortKey = column.key;
        this.show();
        this.head.querySelectorAll<HTMLElement>("button")[i]?.focus();
      } }, column.head, h("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (this.descending ? " ↓" : " ↑") : "")));
    })));
  }

  /** Puts the rows on screen into the document, and empty space for the others. */
  private fill(forPaper = false): void {
    const top = this.scroller.scrollTop;
    const first = forPaper ? 0 : Math.max(0, Math.floor(top / rowHeight) - 10);
    const last = forPaper ? Math.min(paperRows, this.rows.length)
      : Math.min(this.rows.length, Math.ceil((top + (this.scroller.clientHeight || 500)) / rowHeight) + 10);
    const space = (rows: number): HTMLElement | null =>
      rows > 0 && !forPaper ? h("tr", { class: "space", "aria-hidden": "true" }, h("td", { colspan: this.columns.length, style: { height: rows * rowHeight + "px" } })) : null;
    replace(this.bodyRows, space(first), this.rows.slice(first, last).map((row, i) =>
      h("tr", { "aria-rowindex": first + i + 2, "data-row": this.source.id(row) }, this.columns.map((column, c) =>
        h(c === 0 ? "th" : "td", { scope: c === 0 ? "row" : undefined, class: (column.number ? "number" : "") + (column.wide ? " wide" : "") }, column.cell(row))))),
    space(this.rows.length - last));
  }

  private async copy(): Promise<void> {
    const text = csvText(this.source.csv(this.rows));
    try {
      await navigator.clipboard.writeText(text);
      replace(this.status, t("copied", { count: this.rows.length }));
    } catch {
      this.fallback.hidden = false;
      this.fallback.value = text;
      this.fallback.focus();
      this.fallback.select();
      const done = document.execCommand("copy");
      this.fallback.hidden = done;
      replace(this.status, done ? t("copied", { count: this.rows.length }) : t("copyFailed"));
    }
  }
}
