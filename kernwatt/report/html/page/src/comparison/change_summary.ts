// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h } from "../dom";
import { changeText, energyText, measuredEnergyChange, text, timeText } from "../format";
import { t } from "../messages";
import type { Section } from "../page";
import { fileName, type Change, type ComparedRun, type ComparisonDocument, type Match } from "./comparison";

export function signed(value: number, shown: string): string {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + shown.replace(/^-/, "");
}

function tile(id: string, label: string, before: string, after: string, change: Change, detail: string): HTMLElement {
  const direction = !change.certain || change.difference === 0 ? "same" : change.difference > 0 ? "worse" : "better";
  return h("div", { class: "tile", "data-tile": id }, h("dt", {}, label),
    h("dd", {}, h("span", { class: "figure " + direction }, change.relative === null ? "–" : changeText(change.relative)),
      h("span", { class: "sub" }, before + " → " + after), h("span", { class: "sub" }, detail)));
}

function runLine(run: ComparedRun, label: string): HTMLElement {
  const parts = [run.source === "none" ? "" : t("source") + ": " + run.source, run.gpus.length ? run.gpus.length + " × " + run.gpus[0] : "",
    run.recording_s === null ? "" : timeText(run.recording_s), run.iterations ? t("iterationCount", { count: run.iterations }) : "",
    run.total_j === null ? "" : energyText(run.total_j)];
  return h("li", {}, h("b", { title: run.file }, label + ": " + fileName(run.file)), h("span", {}, parts.filter(Boolean).join(" · ")), h("code", { class: "small" }, run.command));
}

export function changeSummarySection(document: ComparisonDocument): Section {
  return {
    id: "summary", title: "summary",
    render(body) {
      const { total } = document;
      const per = t(document.per === "recording" ? "perRecording" : document.per === "iteration" ? "perIterationOf" : "perTokenOf");
      const tiles: HTMLElement[] = [];
      if (total.energy_j && total.before?.energy_j != null && total.after?.energy_j != null)
        tiles.push(tile("energy", t("energy") + " · " + per, energyText(total.before.energy_j, total.before.energy_ci95_j), energyText(total.after.energy_j, total.after.energy_ci95_j), total.energy_j,
          signed(total.energy_j.difference, text(measuredEnergyChange(total.energy_j.difference, total.energy_j.ci95))) + (total.energy_j.certain ? "" : " · " + t("maybeNone"))));
      if (total.time_s && total.before?.time_s != null && total.after?.time_s != null)
        tiles.push(tile("time", t("time") + " · " + per, timeText(total.before.time_s), timeText(total.after.time_s), total.time_s, signed(total.time_s.difference, timeText(total.time_s.difference))));
      const classes = document.rows.filter((row) => row.view === "class");
      const count = (...matches: Match[]): number => classes.filter((row) => matches.includes(row.match)).length;
      const counted = (id: string, label: string, n: number): HTMLElement =>
        h("div", { class: "tile", "data-tile": id }, h("dt", {}, label), h("dd", {}, h("span", { class: "figure" }, n)));
      tiles.push(counted("matched", t("classesMatched"), classes.length - count("gone", "new")), counted("renamed", t("classesRenamed"), count("renumbered", "same-role", "other-shape")),
        counted("gone", t("classesGone"), count("gone")), counted("new", t("classesNew"), count("new")));
      body.append(h("dl", { class: "tiles" }, tiles), h("ul", { class: "files compared" }, runLine(document.before, t("before")), runLine(document.after, t("after"))));
    },
  };
}
