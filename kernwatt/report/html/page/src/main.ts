// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { breakdownSection } from "./attribution/breakdown";
import { layersSection } from "./attribution/layers";
import { originSection } from "./attribution/origin";
import { powerSection } from "./attribution/power";
import { summarySection } from "./attribution/summary";
import { tableSection } from "./attribution/table";
import { changeBarsSection } from "./comparison/change_bars";
import { changeSummarySection } from "./comparison/change_summary";
import { changeTableSection } from "./comparison/change_table";
import { fileName, type ComparisonDocument } from "./comparison/comparison";
import { ledgerSection } from "./ledger";
import type { Section } from "./page";
import { embedded, Report, type AttributionDocument } from "./report";
import { Series, type SeriesJson } from "./series";
import { showPage, type Page } from "./shell";

function attributionPage(document: AttributionDocument): Page {
  const series = new Series(embedded<SeriesJson>("series") ?? { origin_ns: 0, time_step_ns: 1, value_steps_per_unit: 1, gpus: [], spans: [] });
  const report = new Report(document, series.labels);
  const sections = [summarySection(report), breakdownSection(report), layersSection(report), powerSection(report, series), tableSection(report),
    originSection(report), ledgerSection(document.quality)];
  return {
    title: () => (report.hasEnergy ? "title" : "titleTime"), what: document.traces.map((trace) => trace.file.split("/").pop()).slice(0, 3).join(", ")
      + (document.traces.length > 3 ? " …" : ""),
    sections: sections.filter((section): section is Section => section !== null),
  };
}

function comparisonPage(document: ComparisonDocument): Page {
  const sections = [changeSummarySection(document), changeBarsSection(document), changeTableSection(document), ledgerSection(document.quality)];
  return { title: () => "titleCompare", what: fileName(document.before.file) + " → " + fileName(document.after.file),
    sections: sections.filter((section): section is Section => section !== null) };
}

const attribution = embedded<AttributionDocument>("attribution");
if (attribution) showPage(attributionPage(attribution));
const comparison = embedded<ComparisonDocument>("comparison");
if (comparison) showPage(comparisonPage(comparison));
