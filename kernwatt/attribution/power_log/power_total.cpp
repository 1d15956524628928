// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/power_total.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "kernwatt/attribution/power_log/gpu_analysis.hpp"

namespace kernwatt::attribution {
namespace {

/// Indices between those seen that no log has, by host. A single GPU may be any; two and more leave holes.
std::vector<std::string> holes_in_indices(const std::vector<run::PowerGpu>& gpus) {
  std::map<std::string, std::set<int>> by_host;
  for (const run::PowerGpu& gpu : gpus)
    if (gpu.gpu.index && *gpu.gpu.index >= 0 && *gpu.gpu.index < 4096) by_host[gpu.gpu.host].insert(*gpu.gpu.index);
  std::vector<std::string> holes;
  for (const auto& [host, seen] : by_host) {
    if (seen.size() < 2) continue;
    for (int index = *seen.begin(); index < *seen.rbegin(); ++index)
      if (!seen.contains(index)) holes.push_back((host.empty() ? "" : host + ":") + std::to_string(index));
  }
  // More holes than GPUs are no row of GPUs with one missing: somebody chose a few.
  if (holes.size() > gpus.size()) holes.clear();
  return holes;
}

void report_holes(const std::vector<std::string>& holes, std::size_t seen, QualityLedger& quality) {
  // A reader that saw the whole list has said so already.
  if (holes.empty() || quality.contains("power.gpu-absent")) return;
  quality.add("power.index-gap", Severity::warning,
              fmt::format("{} of {} GPUs seen: index {} has no readings in any log. The others keep their indices, and "
                          "the total is partial",
                          seen, seen + holes.size(), fmt::join(holes, ", ")),
              holes.size());
}

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns) * 1e-9 - static_cast<double>(from_ns) * 1e-9;
}

bool has_energy(const run::PowerGpu& gpu) { return gpu.energy.energy_j.has_value(); }

struct Sums {
  double energy_j = 0;
  double half_squares = 0;
  bool intervals = true;
};

void add(const run::PowerGpu& gpu, Sums& sums, run::PowerTotal& total) {
  ++total.gpus_with_energy;
  sums.energy_j += *gpu.energy.energy_j;
  if (gpu.energy.energy_ci95_j) {
    const double half = std::max(gpu.energy.energy_ci95_j->high - *gpu.energy.energy_j,
                                 *gpu.energy.energy_j - gpu.energy.energy_ci95_j->low);
    sums.half_squares += half * half;
  } else {
    sums.intervals = false;
  }
  const std::string source = gpu.energy.source.starts_with("counter") ? "counter" : gpu.energy.source;
  total.source = total.source == "none" || total.source == source ? source : "mixed";
}

}  // namespace

run::PowerTotal total_of(const std::vector<run::PowerGpu>& gpus, bool selected, QualityLedger& quality) {
  run::PowerTotal total;
  total.source = "none";
  total.gpus = gpus.size();
  Sums sums;
  const bool any_energy = std::any_of(gpus.begin(), gpus.end(), has_energy);
  for (const run::PowerGpu& gpu : gpus) {
    if (any_energy && !has_energy(gpu)) continue;
    if (gpu.start_ns) total.start_ns = std::min(total.start_ns.value_or(*gpu.start_ns), *gpu.start_ns);
    if (gpu.end_ns) total.end_ns = std::max(total.end_ns.value_or(*gpu.end_ns), *gpu.end_ns);
    if (any_energy) add(gpu, sums, total);
  }
  total.partial = total.gpus_with_energy < total.gpus;
  if (!selected) {
    const std::vector<std::string> holes = holes_in_indices(gpus);
    report_holes(holes, gpus.size(), quality);
    if (!holes.empty()) total.gpus_expected = gpus.size() + holes.size();
    total.partial = total.partial || !holes.empty();
  }
  if (total.gpus_with_energy == 0) return total;
  total.energy_j = sums.energy_j;
  total.mean_w = sums.energy_j / seconds_between(*total.start_ns, *total.end_ns);
  const double half = std::sqrt(sums.half_squares);
  if (sums.intervals) total.energy_ci95_j = run::Interval{std::max(0.0, sums.energy_j - half), sums.energy_j + half};
  return total;
}

void report_unequal_windows(const run::PowerReport& report, QualityLedger& quality) {
  constexpr double share = 0.02;  // less than this is how the last poll was torn
  constexpr std::size_t named = 8;
  if (!report.total.energy_j || report.total.gpus_with_energy < 2) return;
  const double window_s = seconds_between(*report.total.start_ns, *report.total.end_ns);
  std::vector<std::string> lacking;
  double lacking_j = 0;
  for (const run::PowerGpu& gpu : report.gpus) {
    if (!has_energy(gpu)) continue;
    const double covered_s = seconds_between(*gpu.start_ns, *gpu.end_ns);
    if (window_s - covered_s <= share * window_s) continue;
    lacking.push_back(fmt::format("{}: {:.3f} s", label_of(gpu), covered_s));
    lacking_j += gpu.energy.mean_w.value_or(0) * (window_s - covered_s);
  }
  if (lacking.empty()) return;
  const std::size_t count = lacking.size();
  const std::string more = count > named ? fmt::format(" and {} more", count - named) : "";
  lacking.resize(std::min(count, named));
  quality.add("power.windows-differ", Severity::warning,
              fmt::format("{} of {} GPUs have readings for a part of the window of {:.3f} s only: {}{}. The total has "
                          "nothing for the rest, which would be {:.4g} J at their mean powers",
                          count, report.total.gpus_with_energy, window_s, fmt::join(lacking, ", "), more, lacking_j),
              count);
}

}  // namespace kernwatt::attribution
