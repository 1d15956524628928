// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/power_output.hpp"
#include "apps/kernwatt/progress_line.hpp"
#include "apps/kernwatt/shell_word.hpp"
#include "apps/kernwatt/time_point.hpp"
#include "apps/kernwatt/version.hpp"
#include "kernwatt/attribution/power_log/analyse_power.hpp"
#include "kernwatt/readers/power/power_summary.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/run_file.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

Result<std::optional<attribution::LogTime>> log_time(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<attribution::LogTime>();
  const Result<ParsedTime> time = parse_time(text, "the first reading");
  if (time) return std::optional(attribution::LogTime{time->relative, time->ns});
  Error error = time.error();
  error.where = option;
  return error;
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

class PowerCommand : public Command {
 public:
  std::string_view name() const override { return "power"; }
  std::string_view page() const override { return embedded::page_power; }

  void declare(CLI::App& app) override {
    app.add_option("LOG", logs_);
    app.add_option("--power-format", format_);
    app.add_option("--gpu", options_.gpu_select);
    app.add_option("--from", from_);
    app.add_option("--to", to_);
    app.add_option("-o,--output", output_.path);
    show_.declare(app);
  }

  Result<Outcome> run(const Console& console) override {
    KERNWATT_CHECK(check());
    run::Run run;
    KERNWATT_TRY(run.power, read_logs(console));
    for (const run::PowerLog& log : run.power) {
      run.quality.merge(log.quality);
      const std::vector<run::PowerSummary> of_log = readers::summarise(log, run.quality);
      run.attribution.power.insert(run.attribution.power.end(), of_log.begin(), of_log.end());
    }
    run.attribution.total.source = "none";
    run.attribution.iterations.found_by = "none";
    KERNWATT_TRY(const run::PowerReport report, attribution::analyse_power(run.power, options_, run.quality));
    run.tool_version = version;
    run.command_line = command_line();
    run.created_ns = now_ns();
    if (output_.wanted()) KERNWATT_CHECK(run::save_run(run, output_.path, show_.force()));
    KERNWATT_CHECK(show_.write(run, report, console));
    return show_.outcome(run);
  }

 private:
  /// All that can be known to be wrong before the first file is read.
  Status check() {
    if (logs_.empty()) return Error{ErrorCode::invalid_argument, "power needs a log: kernwatt power LOG…", ""};
    if (output_.is_standard_output())
      return Error{ErrorCode::invalid_argument, "a Run file cannot go to standard output; --json - can", "-o"};
    KERNWATT_TRY(options_.from, log_time("--from", from_));
    KERNWATT_TRY(options_.to, log_time("--to", to_));
    if (options_.from && options_.to && options_.from->relative == options_.to->relative &&
        options_.to->ns < options_.from->ns)
      return Error{ErrorCode::invalid_argument, "--to is before --from", "--to"};
    return show_.check(logs_, {output_});
  }

  Result<std::vector<run::PowerLog>> read_logs(const Console& console) const {
    std::vector<run::PowerLog> logs;
    for (const std::string& file : logs_) {
      ProgressLine progress(console, "reading " + file);
      const readers::ReadOptions options{
          format_, [&](std::uint64_t read, std::optional<std::uint64_t> total) { progress.update(read, total); }};
      KERNWATT_TRY(run::PowerLog log, readers::read_power_log(file, options));
      logs.push_back(std::move(log));
    }
    return logs;
  }

  std::string command_line() const {
    std::string line = "kernwatt power";
    for (const std::string& file : logs_) line += " " + shell_word(file);
    const auto option = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) line += fmt::format(" {} {}", name, shell_word(value));
    };
    option("--power-format", format_);
    option("--gpu", options_.gpu_select);
    option("--from", from_);
    option("--to", to_);
    return line;
  }

  std::vector<std::string> logs_;
  OutputTarget output_{"-o", ""};
  std::string format_;
  std::string from_;
  std::string to_;
  attribution::PowerOptions options_;
  PowerOutput show_;
};

}  // namespace

std::unique_ptr<Command> make_power_command() { return std::make_unique<PowerCommand>(); }

}  // namespace kernwatt::app
