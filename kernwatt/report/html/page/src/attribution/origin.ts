// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom";
import { countText, energyText, powerText, shareText, threeDigits, timeText, utcText } from "../format";
import { t } from "../messages";
import type { Section } from "../page";
import { Report, type Account, type PowerSummary, type TraceSummary } from "../report";

const fileName = (path: string): string => path.split("/").pop() || path;

function traceLine(trace: TraceSummary): string {
  const parts = [trace.format, t("fileKernels", { kernels: countText(trace.kernels), names: countText(trace.distinct_names) })];
  if (trace.rank !== null) parts.splice(1, 0, "rank " + trace.rank);
  return parts.join(" · ");
}

function powerLine(log: PowerSummary): string {
  const parts = [log.format];
  if (log.gpu) parts.push(log.gpu);
  parts.push(t("fileSamples", { samples: countText(log.samples), gap: log.max_gap_s === null ? "–" : timeText(log.max_gap_s) }));
  if (log.missing > 0) parts.push(t("missing", { count: countText(log.missing) }));
  if (log.energy_counter_j !== null && log.energy_j !== null)
    parts.push(t("counterVsIntegral", { counter: energyText(log.energy_counter_j), integral: energyText(log.energy_j) }));
  return parts.join(" · ");
}

function accountRow(account: Account): HTMLElement {
  const energy = (joules: number | null): HTMLElement => h("td", { class: "number" }, joules === null ? "–" : energyText(joules));
  return h("tr", {}, h("th", { scope: "row" }, account.gpu || t("total")), h("td", {}, account.source), energy(account.total_j), energy(account.attributed_j), energy(account.idle_j),
    energy(account.unattributed_j), h("td", { class: "number" }, account.execution_idle_w === null ? "–" : powerText(account.execution_idle_w, account.execution_idle_ci95_w)));
}

export function originSection(report: Report): Section {
  const { document } = report;
  return {
    id: "origin", title: "origin",
    render(body) {
      body.append(h("h3", {}, t("inputs")), h("ul", { class: "files" },
        document.traces.map((trace) => h("li", {}, h("b", { title: trace.file }, fileName(trace.file)), h("span", {}, t("traceFile") + " · " + traceLine(trace)))),
        document.power.map((log) => h("li", {}, h("b", { title: log.file }, fileName(log.file)), h("span", {}, t("powerFile") + " · " + powerLine(log))))));
      const accounts = document.energy.gpus ?? [];
      if (report.hasEnergy)
        body.append(h("h3", {}, t("accounts")), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": t("accounts") }, h("table", { class: "figures" },
          h("thead", {}, h("tr", {}, [t("gpu"), t("source"), t("total"), t("attributed"), t("idleCol"), t("unattributed"), t("idleW")].map((name, i) =>
            h("th", { scope: "col", class: i > 1 ? "number" : undefined }, name)))),
          h("tbody", {}, accounts.map(accountRow), accounts.length > 1 ? accountRow({ ...document.energy, gpu: t("total") }) : null))));
      if (document.energy.lag_ms !== null)
        body.append(h("p", { class: "note" }, t("sensorLag", { lag: threeDigits(document.energy.lag_ms), delay: threeDigits(document.energy.delay_ms ?? 0) })));
      explanations(report, body);
      body.append(h("h3", {}, t("command")), h("pre", { class: "command", tabindex: 0 }, document.command));
      body.append(h("p", { class: "note" }, t("made", { version: document.tool.version, date: utcText(document.created_ns).slice(0, 16) + " UTC" })));
    },
  };
}

/** The sentence of each of the largest classes; the others are behind their names in the table. */
function explanations(report: Report, body: HTMLElement): void {
  const rows = report.rows("class").filter((row) => report.how.has(row.id)).sort((a, b) => (b.energy_j ?? b.time_s) - (a.energy_j ?? a.time_s)).slice(0, 12);
  if (rows.length === 0 || !report.hasEnergy) return;
  body.append(h("h3", {}, t("explanations")), h("dl", { class: "how" }, rows.map((row) => [
    h("dt", { title: row.name }, report.label(row), h("span", { class: "share" }, row.share_of_total === null ? "" : shareText(row.share_of_total))),
    h("dd", { lang: "en" }, report.how.get(row.id)!.how)])));
}
