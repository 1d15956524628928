// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_sections.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

constexpr std::size_t most_logs = 8;

std::string plural(std::uint64_t count, std::string_view one) {
  return count_text(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string log_line(const run::PowerLog& log) {
  std::string text = fmt::format("{} ({})", short_file_name(log.file), printable(log.format));
  std::uint64_t rows = 0;
  for (const run::GpuPower& gpu : log.gpus) rows += gpu.rows;
  if (!log.gpus.empty()) text += fmt::format(", {}, {}", plural(log.gpus.size(), "GPU"), plural(rows, "row"));
  if (!log.totals.empty()) text += ", " + plural(log.totals.size(), "recorded total") + ", no series";
  if (!log.supported_clocks.empty()) text += ", supported clocks of " + plural(log.supported_clocks.size(), "GPU");
  return text;
}

std::string logs_text(const run::Run& run, const PowerTextOptions& options, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < std::min(run.power.size(), most_logs); ++i)
    out += labelled(style, i == 0 ? "power log" : "", log_line(run.power[i]), options.width);
  if (run.power.size() > most_logs)
    out += labelled(style, "", fmt::format("… and {} more", run.power.size() - most_logs), options.width);
  return out;
}

/// 1e17 ns is 1973: smaller times count from a zero of the log's own.
bool is_absolute(std::int64_t time_ns) { return time_ns > 100'000'000'000'000'000; }

std::string window_text(const run::PowerTotal& total) {
  const double seconds = (static_cast<double>(*total.end_ns) - static_cast<double>(*total.start_ns)) * 1e-9;
  std::string text = duration_text(seconds);
  if (is_absolute(*total.start_ns))
    text += fmt::format(", {} to {}", utc_text(*total.start_ns), utc_text(*total.end_ns));
  return text;
}

std::string gpu_count_text(const run::PowerTotal& total, bool unequal) {
  std::string text;
  if (total.gpus_expected) text = fmt::format("{} of {} GPUs seen", total.gpus, *total.gpus_expected);
  if (total.gpus_with_energy < total.gpus)
    text += fmt::format("{}{} of {} GPUs have energy", text.empty() ? "" : ", ", total.gpus_with_energy, total.gpus);
  if (!text.empty()) return "partial: " + text;
  if (total.gpus < 2) return "";
  return fmt::format("sum of {} GPUs{}", total.gpus, unequal ? ", not all read for the whole window" : "");
}

std::string energy_line(const run::PowerTotal& total, bool has_gpus, bool unequal) {
  if (!total.energy_j)
    return has_gpus ? "not measured, or not to be trusted (the notes below say why)"
                    : "no log has a series of readings";
  std::string text = measured_energy(*total.energy_j, total.energy_ci95_j).text();
  if (total.mean_w) text += ", mean power " + measured_power(*total.mean_w, std::nullopt).text();
  text += ", source: " + total.source;
  if (const std::string gpus = gpu_count_text(total, unequal); !gpus.empty()) text += "; " + gpus;
  return text;
}

bool same_model(const run::PowerReport& report) {
  return std::all_of(report.gpus.begin(), report.gpus.end(),
                     [&](const run::PowerGpu& gpu) { return gpu.gpu.name == report.gpus.front().gpu.name; });
}

std::string gpu_table(const run::PowerReport& report, const PowerTextOptions& options, const Style& style) {
  const bool many = report.gpus.size() >= many_gpus;
  std::vector<Column> columns{{"energy"}, {"source"}, {"mean"}, {"lowest"}, {"highest"}, {"GPU", Align::left}};
  if (many) columns.insert(columns.begin() + 5, Column{"readings"});
  Table table(columns);
  const auto watts = [](const std::optional<double>& w) {
    return w ? measured_power(*w, std::nullopt).text() : std::string("–");
  };
  for (const run::PowerGpu& gpu : report.gpus) {
    const std::string energy =
        gpu.energy.energy_j ? measured_energy(*gpu.energy.energy_j, gpu.energy.energy_ci95_j).text() : "–";
    const std::string source = gpu.energy.source.starts_with("counter") ? "counter" : gpu.energy.source;
    std::vector<std::string> cells{energy, source, watts(gpu.energy.mean_w ? gpu.energy.mean_w : gpu.mean_w),
                                   watts(gpu.min_w), watts(gpu.max_w)};
    if (many) cells.push_back(count_text(gpu.samples));
    cells.emplace_back();
    table.add(std::move(cells));
  }
  const std::size_t room = table.last_column_width(options.width);
  for (std::size_t i = 0; i < report.gpus.size(); ++i) {
    const run::PowerGpu& gpu = report.gpus[i];
    std::string name = short_gpu_name(gpu);
    if (!gpu.gpu.uuid.empty() && gpu.gpu.index && !gpu.named_by_file)
      name += " " + printable(gpu.gpu.uuid.substr(0, 12)) + "…";
    // Few have a block each, which says it.
    if (many && !same_model(report) && !gpu.gpu.name.empty()) name += ", " + printable(gpu.gpu.name);
    table.set_last(i, elide_end(name, room));
  }
  return "\n" + table.render(style);
}

}  // namespace

std::string power_header(const run::Run& run, const run::PowerReport& report, const PowerTextOptions& options,
                         const Style& style) {
  const run::PowerTotal& total = report.total;
  std::string out = logs_text(run, options, style);
  if (total.start_ns && total.start_ns == total.end_ns && is_absolute(*total.start_ns))
    out += labelled(style, "moment", utc_text(*total.start_ns), options.width);
  if (total.start_ns && total.end_ns && *total.end_ns > *total.start_ns)
    out += labelled(style, report.window_given ? "stretch" : "window", window_text(total), options.width);
  out +=
      labelled(style, "energy", energy_line(total, !report.gpus.empty(), run.quality.contains("power.windows-differ")),
               options.width);
  if (report.gpus.size() >= many_gpus && same_model(report) && !report.gpus.front().gpu.name.empty())
    out += labelled(style, "GPUs", fmt::format("{} × {}", report.gpus.size(), printable(report.gpus.front().gpu.name)),
                    options.width);
  out += common_readings_line(report, options, style);
  if (report.gpus.size() > 1) out += gpu_table(report, options, style);
  return out;
}

}  // namespace kernwatt::report
