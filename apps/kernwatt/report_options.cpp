// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/report_options.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>

#include "apps/kernwatt/exit_status.hpp"
#include "apps/kernwatt/power_output.hpp"
#include "apps/kernwatt/row_options.hpp"
#include "kernwatt/report/csv/attribution_csv.hpp"
#include "kernwatt/report/html/attribution_html.hpp"
#include "kernwatt/report/json/attribution_json.hpp"

namespace kernwatt::app {
void ReportOptions::declare(CLI::App& app) {
  app.add_option("--by", by_);
  app.add_option("--top", top_);
  app.add_option("--json", json_.path);
  app.add_option("--csv", csv_.path);
  app.add_flag("--per-gpu", text_.per_gpu);
  app.add_option("--html", html_.path);
  app.add_flag("--explain", explain_);
  app.add_flag("--strict", strict_);
  app.add_flag("--force", force_);
}

Status ReportOptions::check(const std::vector<std::string>& inputs, std::vector<OutputTarget> more) {
  KERNWATT_TRY(text_.view, parse_view(by_));
  KERNWATT_TRY(text_.top, parse_top(top_));
  text_.explain = explain_;
  more.push_back(json_);
  more.push_back(csv_);
  more.push_back(html_);
  return check_outputs(more, inputs, force_);
}

Status ReportOptions::write(const run::Run& run, const Console& console) const {
  if (is_power_only(run)) {
    if (html_.wanted())
      return Error{ErrorCode::invalid_argument, "this Run holds power logs only; the page shows attributions",
                   "--html"};
    KERNWATT_TRY(const run::PowerReport report, power_report_of(run));
    return write_power(run, report, json_, csv_, force_, console);
  }
  if (json_.wanted()) KERNWATT_CHECK(write_output(json_, report::attribution_json(run), force_, console));
  if (csv_.wanted()) KERNWATT_CHECK(write_output(csv_, report::attribution_csv(run, text_.view), force_, console));
  if (html_.wanted()) KERNWATT_CHECK(write_output(html_, report::attribution_html(run), force_, console));
  if (json_.is_standard_output() || csv_.is_standard_output() || html_.is_standard_output()) return {};
  report::TextOptions text = text_;
  text.colour = console.colour;
  text.width = console.width;
  text.bars = console.is_terminal && console.utf8 && console.width >= 100;
  return console.print(report::attribution_text(run, text));
}

Outcome ReportOptions::outcome(const run::Run& run) const { return strict_ ? judge_strictly(run.quality) : Outcome(); }

Outcome judge_strictly(const QualityLedger& quality) {
  if (quality.worst() == Severity::info) return {};
  std::size_t warnings = 0;
  std::size_t errors = 0;
  for (const QualityEntry& entry : quality.entries()) {
    if (entry.severity == Severity::warning) ++warnings;
    if (entry.severity == Severity::error) ++errors;
  }
  return {exit_refused_by_strict,
          fmt::format("--strict refuses these numbers: the quality ledger has {} error{} and {} warning{}", errors,
                      errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s")};
}

}  // namespace kernwatt::app
