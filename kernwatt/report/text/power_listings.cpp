// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_sections.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

constexpr std::size_t most_totals = 20;

std::string gpus_of(const run::RecordedTotal& total) {
  const run::GpuIdentity& gpu = total.gpu;
  if (!gpu.uuid.empty() || gpu.index) return short_gpu_name(gpu, gpu.uuid);
  std::string text = printable(gpu.name);
  if (total.gpu_count && (text.empty() || *total.gpu_count != 1)) {
    const std::string count = fmt::format("{} GPU{}", *total.gpu_count, *total.gpu_count == 1 ? "" : "s");
    text += (text.empty() ? "" : ", ") + count;
  }
  return text;
}

/// "15", "15 (by 7 and 8)": the steps from one clock to the next, the commonest first.
std::string steps_text(const std::vector<double>& clocks) {
  std::map<long, std::size_t> steps;
  for (std::size_t i = 1; i < clocks.size(); ++i) ++steps[std::lround(std::abs(clocks[i] - clocks[i - 1]))];
  std::vector<std::pair<std::size_t, long>> common;
  common.reserve(steps.size());
  for (const auto& [step, count] : steps) common.emplace_back(count, step);
  std::sort(common.rbegin(), common.rend());
  if (common.empty()) return "";
  std::string text = std::to_string(common[0].second);
  if (common.size() > 1) text += fmt::format(" or {}", common[1].second);
  return common.size() > 2 ? text + " and others" : text;
}

std::string clocks_line(const run::SupportedClocks::UnderMemoryClock& under) {
  if (under.core_mhz.empty()) return fmt::format("memory {:g} MHz: no core clock listed", under.memory_mhz);
  const auto [low, high] = std::minmax_element(under.core_mhz.begin(), under.core_mhz.end());
  std::string text = fmt::format("memory {:g} MHz: {} core clock{}, {:g} to {:g} MHz", under.memory_mhz,
                                 under.core_mhz.size(), under.core_mhz.size() == 1 ? "" : "s", *low, *high);
  if (const std::string steps = steps_text(under.core_mhz); !steps.empty()) text += ", steps of " + steps + " MHz";
  return text;
}

std::string energy_or_none(const std::optional<double>& joules) { return joules ? energy_text(*joules) : "–"; }

std::string duration_or_none(const std::optional<double>& seconds) { return seconds ? duration_text(*seconds) : "–"; }

/// Totals of the same log and window, one for each GPU, belong together.
bool same_window(const run::RecordedTotal& a, const run::RecordedTotal& b) {
  return a.name == b.name && a.start_ns == b.start_ns && a.duration_s == b.duration_s && a.gpu.index && b.gpu.index &&
         a.gpu.index != b.gpu.index;
}

/// A line of a table: one figure, or the sum over the GPUs of a window, or over a log's runs.
struct TotalLine {
  std::optional<double> energy_j;
  std::optional<double> duration_s;
  std::optional<double> power_w;
  std::string of;
  std::string name;
};

TotalLine line_of(const run::RecordedTotal& total) {
  return {total.energy_j, total.duration_s, total.power_w, gpus_of(total), printable(total.name)};
}

/// A program that writes its run's row again while it goes on: the later row holds the earlier one.
bool continues(const run::RecordedTotal& row, const run::RecordedTotal& later) {
  constexpr double clock_ns = 5e9;  // between the row's time and its duration
  if (row.name != later.name || !row.duration_s || !later.duration_s || *later.duration_s < *row.duration_s)
    return false;
  if (later.energy_j.value_or(0) < row.energy_j.value_or(0)) return false;
  if (!row.start_ns || !later.start_ns) return true;
  return std::abs(static_cast<double>(*row.start_ns) - static_cast<double>(*later.start_ns)) <= clock_ns;
}

std::vector<run::RecordedTotal> last_of_each_run(std::span<const run::RecordedTotal> rows) {
  std::vector<run::RecordedTotal> runs;
  for (const run::RecordedTotal& row : rows) {
    if (!runs.empty() && continues(runs.back(), row)) {
      runs.back() = row;
    } else {
      runs.push_back(row);
    }
  }
  return runs;
}

/// Nothing where only one figure has an energy, or one has none: a part is no sum.
std::optional<TotalLine> sum_of(std::span<const run::RecordedTotal> totals, std::string of, std::string name) {
  const auto with = std::count_if(totals.begin(), totals.end(),
                                  [](const run::RecordedTotal& total) { return total.energy_j.has_value(); });
  if (with < 2) return std::nullopt;
  TotalLine sum{0, {}, {}, std::move(of), std::move(name)};
  for (const run::RecordedTotal& total : totals) *sum.energy_j += total.energy_j.value_or(0);
  const auto without = static_cast<std::ptrdiff_t>(totals.size()) - with;
  if (without > 0) sum.name += fmt::format(" ({} without energy)", without);
  return sum;
}

/// The figures of a log, each window's sum over its GPUs behind them, and the sum over runs, which follow each other;
/// windows may lie in one another.
std::vector<TotalLine> lines_of(const run::PowerLog& log) {
  std::vector<TotalLine> lines;
  const std::span<const run::RecordedTotal> all = log.totals;
  bool runs = true;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && same_window(all[i], all[end])) ++end;
    runs = runs && !all[i].gpu.index;
    for (std::size_t one = i; one < end; ++one) lines.push_back(line_of(all[one]));
    if (auto sum = sum_of(all.subspan(i, end - i), fmt::format("all {} GPUs", end - i), printable(all[i].name));
        sum && end - i > 1) {
      sum->duration_s = all[i].duration_s;
      if (sum->duration_s && *sum->duration_s > 0) sum->power_w = *sum->energy_j / *sum->duration_s;
      lines.push_back(std::move(*sum));
    }
    i = end;
  }
  if (!runs) return lines;
  const std::vector<run::RecordedTotal> last = last_of_each_run(all);
  std::string name = fmt::format("sum of {} runs", last.size());
  if (last.size() < all.size()) name += fmt::format(" ({} rows; a run's last holds its others)", all.size());
  if (auto sum = sum_of(last, "", std::move(name))) lines.insert(lines.begin(), std::move(*sum));
  return lines;
}

}  // namespace

std::string recorded_totals_section(const run::Run& run, const PowerTextOptions& options, const Style& style) {
  std::vector<TotalLine> lines;
  for (const run::PowerLog& log : run.power)
    for (TotalLine& line : lines_of(log)) lines.push_back(std::move(line));
  if (lines.empty()) return "";
  const std::size_t shown = std::min(lines.size(), most_totals);
  Table numbers({{"energy"}, {"for"}, {"power"}, {"", Align::left}});
  std::size_t longest_name = 0;
  const auto cells_of = [](const TotalLine& line) {
    return std::vector<std::string>{energy_or_none(line.energy_j), duration_or_none(line.duration_s),
                                    line.power_w ? measured_power(*line.power_w, std::nullopt).text() : "–"};
  };
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = cells_of(lines[i]);
    cells.emplace_back();
    numbers.add(std::move(cells));
    longest_name = std::max(longest_name, display_width(lines[i].name));
  }
  // What the names leave is the GPUs', and a third of it in any case.
  const std::size_t both = numbers.last_column_width(options.width);
  const std::size_t of_width = std::max(both / 3, both > longest_name + 2 ? both - longest_name - 2 : 0);
  Table table({{"energy"}, {"for"}, {"power"}, {"of", Align::left}, {"recorded total", Align::left}});
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = cells_of(lines[i]);
    cells.push_back(elide_end(lines[i].of, of_width));
    cells.emplace_back();
    table.add(std::move(cells));
  }
  const std::size_t room = table.last_column_width(options.width);
  for (std::size_t i = 0; i < shown; ++i) table.set_last(i, elide_middle(lines[i].name, room));
  if (lines.size() > shown) table.add_note(fmt::format("  … and {} more (--json has all)", lines.size() - shown));
  return style.bold("Recorded totals") + ": another program's sums, without the readings behind them\n" +
         table.render(style);
}

std::string supported_clocks_section(const run::Run& run, const PowerTextOptions& options, const Style& style) {
  std::string out;
  for (const run::PowerLog& log : run.power)
    for (const run::SupportedClocks& clocks : log.supported_clocks) {
      std::string name = short_gpu_name(clocks.gpu, clocks.gpu.uuid.empty() ? clocks.gpu.pci_bus_id : clocks.gpu.uuid);
      if (!clocks.gpu.name.empty()) name += ", " + printable(clocks.gpu.name);
      out += style.bold("Supported clocks") + " of " + name + "\n";
      if (clocks.memory.empty()) out += labelled(style, "", "the driver lists none (N/A)", options.width);
      for (const auto& under : clocks.memory) out += labelled(style, "", clocks_line(under), options.width);
    }
  return out;
}

}  // namespace kernwatt::report
