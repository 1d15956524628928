// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "kernwatt/report/text/labelled_line.hpp"
#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_over_time.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/text/shown_rows.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

constexpr std::size_t most_files = 8;

std::string plural(std::uint64_t count, std::string_view one) {
  return count_text(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

/// The name without its folders, which the user knows and the line has no room for.
std::string file_text(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  const bool has_name = slash != std::string_view::npos && slash + 1 < path.size();
  return elide_middle(printable(has_name ? path.substr(slash + 1) : path), 60);
}

std::string trace_line(const run::TraceSummary& trace) {
  std::string text = fmt::format("{} ({})", file_text(trace.file), printable(trace.format));
  if (trace.rank) text += fmt::format(", rank {}", *trace.rank);
  if (!trace.gpus.empty())
    text += fmt::format(", GPU{} {}", trace.gpus.size() > 1 ? "s" : "", fmt::join(trace.gpus, ", "));
  text += ", " + plural(trace.kernels, "kernel") + " of " + plural(trace.distinct_names, "name");
  if (trace.start_ns && trace.end_ns) {
    if (const std::uint64_t copies = trace.memcpy_count + trace.memset_count; copies > 0)
      text += fmt::format(" beside {}", copies == 1 ? "a copy" : count_text(copies) + " copies");
    const double busy = static_cast<double>(trace.busy_union_ns) * 1e-9;
    const double span = (static_cast<double>(*trace.end_ns) - static_cast<double>(*trace.start_ns)) * 1e-9;
    text += fmt::format(", busy {} of {}", time_text(busy), time_text(span));
  }
  const auto seconds = [](std::int64_t ns) { return time_text(static_cast<double>(ns) * 1e-9); };
  if (trace.comm_ns > 0)
    text += fmt::format(", communication {} ({} of it exposed{})", seconds(trace.comm_ns),
                        seconds(trace.comm_ns - trace.comm_overlapped_ns),
                        trace.comm_waiting_ns ? ", " + seconds(*trace.comm_waiting_ns) + " waiting" : "");
  return text;
}

std::string power_line(const run::PowerSummary& power) {
  std::string text = fmt::format("{} ({})", file_text(power.file), printable(power.format));
  if (!power.gpu.empty()) text += ", " + short_gpu_name(power.gpu);
  text += ", " + plural(power.samples, "sample");
  if (power.missing > 0) text += fmt::format(", {} missing", count_text(power.missing));
  if (power.energy_counter_j) text += ", counter " + energy_text(*power.energy_counter_j);
  if (power.energy_j) text += ", power integral " + energy_text(*power.energy_j);
  return text;
}

template <class Items, class Line>
std::string files(const Style& style, std::string_view label, const Items& items, Line line, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), most_files); ++i)
    out += labelled(style, i == 0 ? label : "", line(items[i]), width);
  if (items.size() > most_files)
    out += labelled(style, "", fmt::format("… and {} more", items.size() - most_files), width);
  return out;
}

/// 1e17 ns is 1973: smaller times count from the trace's own start, not from the epoch.
bool is_absolute(std::int64_t time_ns) { return time_ns > 100'000'000'000'000'000; }

std::string window_text(const run::EnergyAccount& account) {
  const double seconds = (static_cast<double>(*account.end_ns) - static_cast<double>(*account.start_ns)) * 1e-9;
  std::string text = time_text(seconds);
  if (is_absolute(*account.start_ns))
    text += fmt::format(", {} to {}", utc_text(*account.start_ns), utc_text(*account.end_ns));
  return text;
}

std::string energy_text_of(const run::EnergyAccount& account) {
  std::string text = energy_text(*account.total_j);
  if (account.start_ns && account.end_ns && *account.end_ns > *account.start_ns) {
    const double seconds = (static_cast<double>(*account.end_ns) - static_cast<double>(*account.start_ns)) * 1e-9;
    text += fmt::format(", mean power {}", measured_power(*account.total_j / seconds, std::nullopt).text());
  }
  text += ", source: " + printable(account.source);
  if (account.lag_ms) text += fmt::format(" (the sensor lags by {} ms)", three_digits(*account.lag_ms));
  return text;
}

std::string part_text(double joules, double total, std::string_view what) {
  const std::string share = total > 0 ? " (" + share_text(joules / total) + ")" : "";
  return energy_text(joules) + " " + std::string(what) + share;
}

std::string parts_text(const run::EnergyAccount& account) {
  std::vector<std::string> parts;
  if (account.attributed_j) parts.push_back(part_text(*account.attributed_j, *account.total_j, "attributed"));
  if (account.idle_j) parts.push_back(part_text(*account.idle_j, *account.total_j, "idle"));
  if (account.unattributed_j) parts.push_back(part_text(*account.unattributed_j, *account.total_j, "unattributed"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string found_by_text(std::string_view found_by) {
  if (found_by == "marks") return " (marked in the trace)";
  if (found_by == "period") return " (found by their period)";
  return "";
}

std::string iterations_text(const run::IterationSummary& iterations) {
  std::string text = count_text(iterations.count) + found_by_text(iterations.found_by);
  if (iterations.period_s) text += ", " + time_text(*iterations.period_s) + " each";
  if (iterations.energy_j)
    text += ", " + measured_energy(*iterations.energy_j, iterations.energy_ci95_j).text() + " each";
  if (iterations.tokens_per_joule) text += ", " + three_digits(*iterations.tokens_per_joule) + " tokens/J";
  return text;
}

std::string gpu_table(const std::vector<run::EnergyAccount>& gpus, const Style& style, std::size_t width) {
  Table table({{"total"}, {"attributed"}, {"idle"}, {"unattributed"}, {"idle power"}, {"GPU", Align::left}});
  const auto energy = [](const std::optional<double>& joules) { return joules ? energy_text(*joules) : "–"; };
  for (const run::EnergyAccount& gpu : gpus) {
    const std::string idle =
        gpu.execution_idle_w ? measured_power(*gpu.execution_idle_w, gpu.execution_idle_ci95_w).text() : "–";
    table.add(
        {energy(gpu.total_j), energy(gpu.attributed_j), energy(gpu.idle_j), energy(gpu.unattributed_j), idle, ""});
  }
  const std::size_t room = table.last_column_width(width);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    table.set_last(i, elide_middle(short_gpu_name(gpus[i].gpu) + ", " + printable(gpus[i].source), room));
  return "\n" + table.render(style);
}

}  // namespace

std::string header_section(const run::Run& run, const TextOptions& options, const Style& style) {
  const run::Attribution& result = run.attribution;
  const run::EnergyAccount& total = result.total;
  const std::size_t width = options.width;
  std::string out = files(style, "trace", result.traces, trace_line, width);
  out += files(style, "power log", result.power, power_line, width);
  if (total.start_ns && total.end_ns) out += labelled(style, "window", window_text(total), width);
  if (total.total_j) {
    out += labelled(style, "energy", energy_text_of(total), width);
    if (const std::string parts = parts_text(total); !parts.empty()) out += labelled(style, "", parts, width);
  } else {
    const std::string_view why = result.power.empty()
                                     ? "not measured: time only (a power log of the same run adds it: --power LOG)"
                                     : "not measured: time only (the notes below say why the power log does not serve)";
    out += labelled(style, "energy", why, width);
  }
  if (options.bars)
    if (const std::string power = power_over_time(run, 60); !power.empty())
      out += labelled(style, "power", power, width);
  if (total.execution_idle_w) {
    const std::string power = measured_power(*total.execution_idle_w, total.execution_idle_ci95_w).text();
    out += labelled(style, "idle power", power + " while nothing runs and the clocks are up", width);
  }
  if (result.iterations.count > 0) out += labelled(style, "iterations", iterations_text(result.iterations), width);
  if (result.gpus.size() > 1 && total.total_j) out += gpu_table(result.gpus, style, width);
  return out;
}

}  // namespace kernwatt::report
