// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/progress_line.hpp"
#include "apps/kernwatt/report_options.hpp"
#include "apps/kernwatt/time_point.hpp"
#include "apps/kernwatt/version.hpp"
#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/readers/power/power_summary.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/run_file.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

/// What is wrong with the value of an option, as an error about that option.
template <class T>
Result<T> about(std::string_view option, Result<T> result) {
  if (result) return result;
  Error error = result.error();
  error.where = option;
  return error;
}

Result<std::optional<attribution::TimePoint>> time_point(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<attribution::TimePoint>();
  KERNWATT_TRY(const ParsedTime time, about(option, parse_time(text)));
  return std::optional(attribution::TimePoint{time.relative, time.ns});
}

/// "A:B", both included.
Result<std::pair<std::uint32_t, std::uint32_t>> parse_iterations(const std::string& text) {
  std::pair<std::uint32_t, std::uint32_t> range;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  const bool colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
  const auto last = colon ? std::from_chars(first.ptr + 1, end, range.second) : first;
  if (!colon || last.ec != std::errc() || last.ptr != end || range.first > range.second)
    return Error{ErrorCode::invalid_argument,
                 "'" + text + "' is not a range of iterations; write the first and the last one, as in 2:10",
                 "--iterations"};
  return range;
}

Result<double> parse_tokens(const std::string& text) {
  double tokens = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), tokens);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (whole && tokens > 0 && tokens < 1e18) return tokens;
  return Error{ErrorCode::invalid_argument, "'" + text + "' is not a number of tokens; write one above 0",
               "--tokens-per-iteration"};
}

/// "3600" for all logs, "node1.csv=0.34" for one; "auto" is what happens without.
Result<std::vector<attribution::TimeOffset>> parse_time_offsets(const std::vector<std::string>& texts) {
  std::vector<attribution::TimeOffset> offsets;
  for (const std::string& text : texts) {
    if (text == "auto") continue;
    const std::size_t equals = text.rfind('=');
    const bool of_one = equals != std::string::npos;
    if (equals == 0)
      return Error{ErrorCode::invalid_argument, "'" + text + "' names no log before the =", "--time-offset"};
    KERNWATT_TRY(const std::int64_t ns,
                 about("--time-offset", parse_seconds_ns(of_one ? std::string_view(text).substr(equals + 1) : text)));
    offsets.push_back({of_one ? text.substr(0, equals) : "", static_cast<double>(ns) * 1e-9});
  }
  return offsets;
}

bool has_kernel(const run::Trace& trace) {
  return std::any_of(trace.launches.begin(), trace.launches.end(), [&](const run::Launch& launch) {
    return launch.kernel_class < trace.classes.size() &&
           trace.classes[launch.kernel_class].kind == run::LaunchKind::kernel;
  });
}

/// A trace of nothing but copies, or of the host alone, answers no question about kernels.
Error no_kernels(const std::vector<run::Trace>& traces) {
  std::string message = "no GPU kernel in any trace; record with the profiler's CUDA activities on";
  std::string broken;
  for (const QualityEntry& entry : traces.front().quality.entries()) {
    if (entry.id == "trace.no-kernels") message = entry.message;
    if (entry.id == "trace.torn" || entry.id == "trace.broken-events" || entry.id == "input.damaged")
      broken += (broken.empty() ? "" : " ") + entry.message + (entry.message.ends_with('.') ? "" : ".");
  }
  // What is broken in the file may be why there is none; how to record better is then no help.
  if (!broken.empty()) message = broken + " Nothing before the damage is a GPU kernel";
  return {ErrorCode::bad_data, message, traces.front().file};
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

class AttributeCommand : public Command {
 public:
  std::string_view name() const override { return "attribute"; }
  std::string_view page() const override { return embedded::page_attribute; }

  void declare(CLI::App& app) override {
    app.add_option("TRACE", traces_);
    app.add_option("--power", logs_)->allow_extra_args(false);
    app.add_option("-o,--output", output_.path);
    app.add_option("--trace-format", trace_format_);
    app.add_option("--power-format", power_format_);
    app.add_option("--gpu", gpu_);
    app.add_option("--map", map_)->allow_extra_args(false);
    app.add_option("--tokens-per-iteration", tokens_);
    app.add_option("--time-offset", time_offsets_)->allow_extra_args(false);
    app.add_option("--from", from_);
    app.add_option("--to", to_);
    app.add_option("--iterations", iterations_);
    app.add_flag("--tile", tile_);
    app.add_flag("--keep-launches", keep_launches_);
    report_.declare(app);
  }

  Result<Outcome> run(const Console& console) override {
    KERNWATT_TRY(const attribution::AttributeOptions options, check());
    KERNWATT_TRY(std::vector<run::Trace> traces, read_traces(console));
    KERNWATT_TRY(std::vector<run::PowerLog> logs, read_logs(console));
    if (std::none_of(traces.begin(), traces.end(), has_kernel)) return no_kernels(traces);
    QualityLedger doubts;
    std::vector<run::PowerSummary> summaries;
    for (const run::PowerLog& log : logs) {
      const std::vector<run::PowerSummary> of_log = readers::summarise(log, doubts);
      summaries.insert(summaries.end(), of_log.begin(), of_log.end());
    }
    KERNWATT_TRY(run::Run run, attribution::attribute(std::move(traces), std::move(logs), options));
    run.attribution.power = std::move(summaries);
    run.quality.merge(doubts);
    run.tool_version = version;
    run.command_line = command_line();
    run.created_ns = now_ns();
    if (output_.wanted()) KERNWATT_CHECK(run::save_run(run, output_.path, report_.force()));
    KERNWATT_CHECK(report_.write(run, console));
    return report_.outcome(run);
  }

 private:
  /// A file that is read twice would be counted twice.
  static Status check_given_once(const std::vector<std::string>& files) {
    for (std::size_t i = 0; i < files.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        std::error_code ignored;
        const bool pipe = files[i].starts_with("/dev/");
        if (!pipe && (files[i] == files[k] || std::filesystem::equivalent(files[i], files[k], ignored)))
          return Error{ErrorCode::invalid_argument, "the file is given twice", files[i]};
      }
    return {};
  }

  /// All that can be known to be wrong before the first file is read.
  Result<attribution::AttributeOptions> check() {
    if (traces_.empty())
      return Error{ErrorCode::invalid_argument, "attribute needs a trace: kernwatt attribute TRACE… [--power LOG]…",
                   ""};
    if (output_.is_standard_output())
      return Error{ErrorCode::invalid_argument, "a Run file cannot go to standard output; --json - can", "-o"};
    KERNWATT_CHECK(check_given_once(traces_));
    KERNWATT_CHECK(check_given_once(logs_));
    std::vector<std::string> inputs = traces_;
    inputs.insert(inputs.end(), logs_.begin(), logs_.end());
    KERNWATT_CHECK(report_.check(inputs, {output_}));
    attribution::AttributeOptions options;
    options.gpu_select = gpu_;
    for (const std::string& pairs : map_) options.gpu_map += (options.gpu_map.empty() ? "" : ",") + pairs;
    options.tile = tile_;
    options.keep_launches = keep_launches_;
    if (!tokens_.empty()) {
      KERNWATT_TRY(options.tokens_per_iteration, parse_tokens(tokens_));
    }
    if (!iterations_.empty()) {
      KERNWATT_TRY(options.iterations, parse_iterations(iterations_));
    }
    KERNWATT_TRY(options.time_offsets, parse_time_offsets(time_offsets_));
    KERNWATT_TRY(options.from, time_point("--from", from_));
    KERNWATT_TRY(options.to, time_point("--to", to_));
    if (options.from && options.to && options.from->relative == options.to->relative &&
        options.to->ns < options.from->ns)
      return Error{ErrorCode::invalid_argument, "--to is before --from", "--to"};
    return options;
  }

  Result<std::vector<run::Trace>> read_traces(const Console& console) const {
    std::vector<run::Trace> traces;
    for (const std::string& file : traces_) {
      ProgressLine progress(console, "reading " + file);
      KERNWATT_TRY(std::vector<run::Trace> of_file, readers::read_traces(file, options_with(progress, trace_format_)));
      std::move(of_file.begin(), of_file.end(), std::back_inserter(traces));
    }
    return traces;
  }

  Result<std::vector<run::PowerLog>> read_logs(const Console& console) const {
    std::vector<run::PowerLog> logs;
    for (const std::string& file : logs_) {
      ProgressLine progress(console, "reading " + file);
      KERNWATT_TRY(run::PowerLog log, readers::read_power_log(file, options_with(progress, power_format_)));
      logs.push_back(std::move(log));
    }
    return logs;
  }

  static readers::ReadOptions options_with(ProgressLine& progress, const std::string& format) {
    return {format,
            [&progress](std::uint64_t read, std::optional<std::uint64_t> total) { progress.update(read, total); }};
  }

  /// The inputs and what changes the result; not where the output went.
  std::string command_line() const {
    std::string line = "kernwatt attribute";
    for (const std::string& file : traces_) line += " " + quoted(file);
    for (const std::string& file : logs_) line += " --power " + quoted(file);
    const auto option = [&](std::string_view name, const std::string& value, std::string_view usual) {
      if (value != usual) line += fmt::format(" {} {}", name, quoted(value));
    };
    option("--trace-format", trace_format_, "");
    option("--power-format", power_format_, "");
    option("--gpu", gpu_, "");
    option("--tokens-per-iteration", tokens_, "");
    for (const std::string& pairs : map_) option("--map", pairs, "");
    for (const std::string& offset : time_offsets_) option("--time-offset", offset, "auto");
    option("--from", from_, "");
    option("--to", to_, "");
    option("--iterations", iterations_, "");
    if (tile_) line += " --tile";
    if (keep_launches_) line += " --keep-launches";
    return line;
  }

  /// As a POSIX shell would take it back.
  static std::string quoted(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  std::vector<std::string> traces_;
  std::vector<std::string> logs_;
  OutputTarget output_{"-o", ""};
  std::string trace_format_;
  std::string power_format_;
  std::string gpu_;
  std::string tokens_;
  std::vector<std::string> map_;
  std::vector<std::string> time_offsets_;
  std::string from_;
  std::string to_;
  std::string iterations_;
  bool tile_ = false;
  bool keep_launches_ = false;
  ReportOptions report_;
};

}  // namespace

std::unique_ptr<Command> make_attribute_command() { return std::make_unique<AttributeCommand>(); }

}  // namespace kernwatt::app
