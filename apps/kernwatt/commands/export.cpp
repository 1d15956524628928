// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/output_target.hpp"
#include "apps/kernwatt/power_output.hpp"
#include "apps/kernwatt/text_file_sink.hpp"
#include "kernwatt/report/csv/attribution_csv.hpp"
#include "kernwatt/report/csv/power_csv.hpp"
#include "kernwatt/report/json/attribution_json.hpp"
#include "kernwatt/report/json/power_json.hpp"
#include "kernwatt/report/perfetto/perfetto_trace.hpp"
#include "kernwatt/run/run_file.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

/// The views one after the other under one header; each row says which view it is of.
std::string csv_of_all_views(const run::Run& run) {
  std::string all;
  for (const run::View view : run::all_views) {
    const std::string of_view = report::attribution_csv(run, view);
    all += all.empty() ? of_view : of_view.substr(of_view.find('\n') + 1);
  }
  return all;
}

class ExportCommand : public Command {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view page() const override { return embedded::page_export; }

  void declare(CLI::App& app) override {
    app.add_option("RUN", file_);
    app.add_option("--perfetto", perfetto_.path);
    app.add_option("--csv", csv_.path);
    app.add_option("--json", json_.path);
    app.add_flag("--force", force_);
  }

  Result<Outcome> run(const Console& console) override {
    KERNWATT_CHECK(check());
    KERNWATT_TRY(const run::Run run, run::load_run(file_));
    std::optional<run::PowerReport> power;
    if (is_power_only(run)) {
      KERNWATT_TRY(power, power_report_of(run));
    }
    if (json_.wanted())
      KERNWATT_CHECK(write_output(json_, power ? report::power_json(run, *power) : report::attribution_json(run),
                                  force_, console));
    if (csv_.wanted())
      KERNWATT_CHECK(write_output(csv_, power ? report::power_csv(*power) : csv_of_all_views(run), force_, console));
    if (perfetto_.wanted()) KERNWATT_CHECK(write_trace(run, power ? &*power : nullptr, console));
    return Outcome{};
  }

 private:
  Status check() const {
    if (file_.empty())
      return Error{ErrorCode::invalid_argument, "export needs a Run file; `kernwatt attribute … -o RUN.kw` makes one",
                   ""};
    if (!perfetto_.wanted() && !csv_.wanted() && !json_.wanted())
      return Error{ErrorCode::invalid_argument, "export needs --perfetto, --csv or --json, each with a file", ""};
    return check_outputs({perfetto_, csv_, json_}, {file_}, force_);
  }

  Status write_trace(const run::Run& run, const run::PowerReport* power, const Console& console) const {
    KERNWATT_TRY(TextFileSink sink, TextFileSink::open(perfetto_, force_, console));
    KERNWATT_CHECK(report::write_perfetto(run, power, [&](std::string_view text) { return sink.write(text); }));
    return sink.finish();
  }

  std::string file_;
  OutputTarget perfetto_{"--perfetto", ""};
  OutputTarget csv_{"--csv", ""};
  OutputTarget json_{"--json", ""};
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace kernwatt::app
