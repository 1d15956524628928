// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_sections.hpp"
#include "kernwatt/report/text/sparkline.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) { return static_cast<double>(to_ns - from_ns) * 1e-9; }

std::string watts(double w) { return measured_power(w, std::nullopt).text(); }

std::string title(const run::PowerGpu& gpu, const Style& style) {
  const bool known_by_uuid = !gpu.gpu.index && !gpu.gpu.uuid.empty() && !gpu.named_by_file;
  std::string text = style.bold(known_by_uuid ? printable(gpu.gpu.uuid) : short_gpu_name(gpu));
  std::string details;
  const auto add = [&](std::string_view what) {
    if (!what.empty()) details += (details.empty() ? "" : ", ") + printable(what);
  };
  add(gpu.gpu.name);
  if (!known_by_uuid) add(gpu.gpu.uuid);
  if (gpu.gpu.uuid.empty() && gpu.gpu.index) add(gpu.gpu.pci_bus_id);
  return text + (details.empty() ? "" : style.dim("  " + details)) + "\n";
}

std::string power_over_time(const run::PowerGpu& gpu, const PowerTextOptions& options, const Style& style) {
  if (gpu.profile_w.empty() || !gpu.max_w) return "";
  double top = 0;
  for (const std::optional<double>& w : gpu.profile_w) top = std::max(top, w.value_or(0));
  return "  " + style.dim(fmt::format("{:<12}", "power")) +
         sparkline(gpu.profile_w, top, options.width - 14, options.utf8) + "\n";
}

std::string range_text(const run::PowerGpu& gpu) {
  std::string text;
  if (gpu.min_w && gpu.max_w)
    text = *gpu.min_w == *gpu.max_w ? fmt::format("{} throughout", watts(*gpu.min_w))
                                    : fmt::format("{} to {}", watts(*gpu.min_w), watts(*gpu.max_w));
  if (gpu.mean_w && gpu.min_w != gpu.max_w)
    text += fmt::format("{}mean {}", text.empty() ? "" : ", ", watts(*gpu.mean_w));
  if (gpu.power_limit_w) text += fmt::format(", limit {}", watts(*gpu.power_limit_w));
  return text;
}

std::string update_text(const run::PowerGpu& gpu) {
  const run::UpdateRhythm& update = gpu.update;
  const std::string repeats =
      gpu.samples > 1 ? fmt::format(" ({} repeat the one before)",
                                    share_text(static_cast<double>(gpu.stale) / static_cast<double>(gpu.samples - 1)))
                      : "";
  if (update.period_s) return fmt::format("; the value changes every {}{}", time_text(*update.period_s), repeats);
  if (gpu.samples > 1 && gpu.stale + 1 == gpu.samples) return "; the value never changes";
  if (update.found == "every reading") return "; the value changes as fast as it is read";
  return gpu.stale > 0 ? "; how often the value changes cannot be told" + repeats : "";
}

std::string readings_text(const run::PowerGpu& gpu) {
  if (gpu.samples == 0) return "none";
  std::string text = count_text(gpu.samples);
  if (!gpu.sensor.empty()) text += " of " + gpu.sensor;
  if (gpu.poll_s) text += ", one every " + duration_text(*gpu.poll_s);
  return text + update_text(gpu);
}

std::string missing_text(const run::PowerGpu& gpu) {
  std::string text = fmt::format("{} of {} rows", count_text(gpu.missing), count_text(gpu.missing + gpu.samples));
  std::string tokens;
  for (const run::TokenCount& token : gpu.missing_tokens)
    tokens += fmt::format("{}{} × {}", tokens.empty() ? "" : ", ", printable(token.token), count_text(token.count));
  return tokens.empty() ? text : text + ": " + tokens;
}

std::string gaps_text(const run::PowerGpu& gpu) {
  const run::ReadingGaps& gaps = gpu.gaps;
  std::string text = fmt::format("{} without a reading, {} in all, the longest {}", count_text(gaps.count),
                                 duration_text(gaps.total_s), duration_text(gaps.longest_s.value_or(0)));
  if (gaps.longest_start_ns && gpu.start_ns)
    text += fmt::format(" at {}", duration_text(seconds_between(*gpu.start_ns, *gaps.longest_start_ns)));
  if (gaps.bridged_j) text += fmt::format("; {} of the integral bridge them", energy_text(*gaps.bridged_j));
  return text;
}

std::string counter_text(const run::PowerGpu& gpu) {
  std::string text;
  if (gpu.counter_update.period_s) text += fmt::format("moves every {}", time_text(*gpu.counter_update.period_s));
  if (gpu.counter_update.found == "every reading") text += "moves at every reading";
  if (gpu.counter_step_j && !text.empty()) text += fmt::format(" by {}", energy_text(*gpu.counter_step_j));
  return text;
}

std::string meters_text(const run::PowerGpu& gpu) {
  const run::PowerEnergy& energy = gpu.energy;
  std::string text;
  if (energy.counter_j) text += energy_text(*energy.counter_j) + " by the counter";
  if (energy.counter_j && energy.integral_j) text += ", ";
  if (energy.integral_j) text += energy_text(*energy.integral_j) + " by the integral";
  if (gpu.disagreement) text += fmt::format(" (ratio {:.3f})", *gpu.disagreement);
  return text;
}

std::string energy_line(const run::PowerGpu& gpu) {
  if (!gpu.energy.energy_j) return "none: " + gpu.believed;
  std::string text = measured_energy(*gpu.energy.energy_j, gpu.energy.energy_ci95_j).text();
  if (gpu.energy.mean_w) text += ", mean " + watts(*gpu.energy.mean_w);
  if (gpu.energy.below_resolution) text += ", below the resolution of the meter";
  return text + ": " + gpu.believed;
}

/// As many decimals as the shortest phase deserves, so that the column is easy to read down.
int start_decimals(const std::vector<const run::PowerPhase*>& phases) {
  double shortest_s = 1e9;
  for (const run::PowerPhase* phase : phases)
    shortest_s = std::min(shortest_s, seconds_between(phase->start_ns, phase->end_ns));
  return shortest_s < 1 ? 3 : shortest_s < 10 ? 2 : 1;
}

std::string phase_start(const run::PowerPhase& phase, const run::PowerGpu& gpu, int decimals) {
  const double start_s = seconds_between(gpu.start_ns.value_or(phase.start_ns), phase.start_ns);
  const double end_s = seconds_between(gpu.start_ns.value_or(phase.start_ns), gpu.end_ns.value_or(phase.end_ns));
  if (end_s >= 3600) {
    const long long whole = std::llround(start_s);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{:.{}f} s", start_s, decimals);
}

/// With the period where the line has room for it.
std::string phase_text(const run::PowerPhase& phase, std::size_t room) {
  std::string text = phase.name;
  if (phase.energy.below_resolution) text += ", below resolution";
  if (!phase.period_s) return elide_end(text, room);
  text += ", swings";
  const std::string with_period = text + " every " + time_text(*phase.period_s);
  return display_width(with_period) <= room ? with_period : elide_end(text, room);
}

std::string phases_table(const run::PowerReport& report, std::size_t gpu, const PowerTextOptions& options,
                         const Style& style) {
  std::vector<const run::PowerPhase*> phases;
  for (const run::PowerPhase& phase : report.phases)
    if (phase.gpu == gpu) phases.push_back(&phase);
  // A GPU that does one thing from first to last has said it all above.
  if (phases.empty() || (phases.size() == 1 && phases.front()->name == "steady" && !phases.front()->period_s))
    return "";
  const bool both = std::any_of(phases.begin(), phases.end(), [](const run::PowerPhase* phase) {
    return phase->energy.counter_j && phase->energy.integral_j;
  });
  std::vector<Column> columns{{"from"}, {"for"}, {"power"}, {"energy"}};
  if (both) columns.insert(columns.end(), {{"counter"}, {"integral"}});
  columns.push_back({"phase", Align::left});
  Table table(columns);
  const int decimals = start_decimals(phases);
  const auto energy = [](const std::optional<double>& j) { return j ? energy_text(*j) : std::string("–"); };
  for (const run::PowerPhase* phase : phases) {
    std::vector<std::string> cells{
        phase_start(*phase, report.gpus[gpu], decimals), duration_text(seconds_between(phase->start_ns, phase->end_ns)),
        phase->energy.mean_w ? watts(*phase->energy.mean_w) : "–",
        phase->energy.energy_j ? measured_energy(*phase->energy.energy_j, phase->energy.energy_ci95_j).text() : "–"};
    if (both) cells.insert(cells.end(), {energy(phase->energy.counter_j), energy(phase->energy.integral_j)});
    cells.emplace_back();
    table.add(std::move(cells));
  }
  const std::size_t room = table.last_column_width(options.width);
  for (std::size_t i = 0; i < phases.size(); ++i) table.set_last(i, phase_text(*phases[i], room));
  return table.render(style);
}

bool meters_differ(const run::PowerGpu& gpu) { return gpu.disagreement && std::abs(*gpu.disagreement - 1) > 0.05; }

bool same_readings(const run::PowerReport& report) {
  return std::all_of(report.gpus.begin(), report.gpus.end(), [&](const run::PowerGpu& gpu) {
    return readings_text(gpu) == readings_text(report.gpus.front());
  });
}

std::string least_to_most(std::vector<double> values, const std::function<std::string(double)>& text) {
  if (values.empty()) return "";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = text(*least);
  const std::string to = text(*most);
  return from == to ? from : from + " to " + to;
}

/// What many GPUs that differ a little have in common.
std::string readings_range(const run::PowerReport& report) {
  std::vector<double> samples;
  std::vector<double> polls;
  std::vector<double> updates;
  for (const run::PowerGpu& gpu : report.gpus) {
    samples.push_back(static_cast<double>(gpu.samples));
    if (gpu.poll_s) polls.push_back(*gpu.poll_s);
    if (gpu.update.period_s) updates.push_back(*gpu.update.period_s);
  }
  const bool same_sensor = std::all_of(report.gpus.begin(), report.gpus.end(), [&](const run::PowerGpu& gpu) {
    return gpu.sensor == report.gpus.front().sensor;
  });
  std::string text = least_to_most(samples, [](double count) { return count_text(static_cast<std::uint64_t>(count)); });
  if (same_sensor && !report.gpus.front().sensor.empty()) text += " of " + report.gpus.front().sensor;
  if (!polls.empty()) text += ", one every " + least_to_most(polls, duration_text);
  if (updates.size() == report.gpus.size()) text += "; the value changes every " + least_to_most(updates, time_text);
  return text;
}

struct Lines {
  const PowerTextOptions& options;
  const Style& style;
  std::string text;
  void add(std::string_view label, const std::string& what) {
    if (!what.empty()) text += labelled(style, label, what, options.width);
  }
};

/// All below the title. `few`: each GPU says everything of itself.
std::string body(const run::PowerReport& report, std::size_t index, bool few, const PowerTextOptions& options,
                 const Style& style) {
  const run::PowerGpu& gpu = report.gpus[index];
  const bool alone = report.gpus.size() == 1;
  const std::string phases = phases_table(report, index, options, style);
  Lines lines{options, style, few || !phases.empty() ? power_over_time(gpu, options, style) : ""};
  if (alone) lines.add("", range_text(gpu));
  if (alone || (few && !same_readings(report))) lines.add("readings", readings_text(gpu));
  if (gpu.missing > 0) lines.add("missing", missing_text(gpu));
  if (gpu.gaps.count > 0) lines.add("gaps", gaps_text(gpu));
  if (alone) lines.add("counter", counter_text(gpu));
  // With several, a table has the energies; what is not as it should be is said here.
  if (alone || !gpu.energy.energy_j || gpu.energy.below_resolution || meters_differ(gpu)) {
    lines.add("energy", energy_line(gpu));
    if (gpu.energy.counter_j) lines.add("", meters_text(gpu));
  }
  return lines.text + (phases.empty() ? "" : "\n" + phases);
}

std::string title_of_several(const std::vector<const run::PowerGpu*>& gpus, bool all, const PowerTextOptions& options,
                             const Style& style) {
  if (all) return style.bold(fmt::format("All {} GPUs", gpus.size())) + "\n";
  std::string names;
  for (const run::PowerGpu* gpu : gpus) names += (names.empty() ? "" : ", ") + short_gpu_name(*gpu);
  const std::string count = fmt::format("  {} GPUs", gpus.size());
  return style.bold(elide_end(names, options.width - count.size())) + style.dim(count) + "\n";
}

}  // namespace

std::string common_readings_line(const run::PowerReport& report, const PowerTextOptions& options, const Style& style) {
  if (report.gpus.size() < 2) return "";
  if (same_readings(report))
    return labelled(style, "readings", "of each GPU: " + readings_text(report.gpus.front()), options.width);
  if (report.gpus.size() < many_gpus) return "";
  return labelled(style, "readings", "of each GPU: " + readings_range(report), options.width);
}

std::string power_gpu_sections(const run::PowerReport& report, const PowerTextOptions& options, const Style& style) {
  const bool few = report.gpus.size() < many_gpus;
  std::vector<std::pair<std::string, std::vector<const run::PowerGpu*>>> sections;
  for (std::size_t i = 0; i < report.gpus.size(); ++i) {
    std::string text = body(report, i, few, options, style);
    if (text.empty() && !few) continue;
    const auto same = std::find_if(sections.begin(), sections.end(),
                                   [&](const auto& section) { return !few && section.first == text; });
    if (same == sections.end()) {
      sections.push_back({std::move(text), {&report.gpus[i]}});
    } else {
      same->second.push_back(&report.gpus[i]);
    }
  }
  std::string out;
  for (const auto& [text, gpus] : sections)
    out += "\n" +
           (gpus.size() == 1 ? title(*gpus.front(), style)
                             : title_of_several(gpus, gpus.size() == report.gpus.size(), options, style)) +
           text;
  return out;
}

}  // namespace kernwatt::report
