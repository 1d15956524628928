// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/power_output.hpp"

#include <CLI/App.hpp>

#include "apps/kernwatt/report_options.hpp"
#include "kernwatt/attribution/power_log/analyse_power.hpp"
#include "kernwatt/report/csv/power_csv.hpp"
#include "kernwatt/report/json/power_json.hpp"
#include "kernwatt/report/text/power_text.hpp"

namespace kernwatt::app {

bool is_power_only(const run::Run& run) {
  return run.attribution.traces.empty() && run.attribution.rows.empty() && !run.power.empty();
}

Result<run::PowerReport> power_report_of(const run::Run& run) {
  QualityLedger known;
  return attribution::analyse_power(run.power, {}, known);
}

Status write_power(const run::Run& run, const run::PowerReport& report, const OutputTarget& json,
                   const OutputTarget& csv, bool force, const Console& console) {
  if (json.wanted()) KERNWATT_CHECK(write_output(json, report::power_json(run, report), force, console));
  if (csv.wanted()) KERNWATT_CHECK(write_output(csv, report::power_csv(report), force, console));
  if (json.is_standard_output() || csv.is_standard_output()) return {};
  return console.print(report::power_text(run, report, {console.colour, console.utf8, console.width}));
}

void PowerOutput::declare(CLI::App& app) {
  app.add_option("--json", json_.path);
  app.add_option("--csv", csv_.path);
  app.add_flag("--strict", strict_);
  app.add_flag("--force", force_);
}

Status PowerOutput::check(const std::vector<std::string>& inputs, std::vector<OutputTarget> more) const {
  more.push_back(json_);
  more.push_back(csv_);
  return check_outputs(more, inputs, force_);
}

Status PowerOutput::write(const run::Run& run, const run::PowerReport& report, const Console& console) const {
  return write_power(run, report, json_, csv_, force_, console);
}

Outcome PowerOutput::outcome(const run::Run& run) const { return strict_ ? judge_strictly(run.quality) : Outcome(); }

}  // namespace kernwatt::app
