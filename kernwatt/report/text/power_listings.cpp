// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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
  if (total.gpu_count) {
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

}  // namespace

std::string recorded_totals_section(const run::Run& run, const PowerTextOptions& options, const Style& style) {
  Table table({{"energy"}, {"for"}, {"power"}, {"of", Align::left}, {"recorded total", Align::left}});
  std::vector<const run::RecordedTotal*> totals;
  for (const run::PowerLog& log : run.power)
    for (const run::RecordedTotal& total : log.totals) totals.push_back(&total);
  if (totals.empty()) return "";
  const std::size_t shown = std::min(totals.size(), most_totals);
  for (std::size_t i = 0; i < shown; ++i) {
    const run::RecordedTotal& total = *totals[i];
    table.add({total.energy_j ? energy_text(*total.energy_j) : "–",
               total.duration_s ? time_text(*total.duration_s) : "–",
               total.power_w ? measured_power(*total.power_w, std::nullopt).text() : "–",
               elide_end(gpus_of(total), options.width / 4), ""});
  }
  const std::size_t room = table.last_column_width(options.width);
  for (std::size_t i = 0; i < shown; ++i) table.set_last(i, elide_middle(printable(totals[i]->name), room));
  if (totals.size() > shown) table.add_note(fmt::format("  … and {} more (--json has all)", totals.size() - shown));
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
