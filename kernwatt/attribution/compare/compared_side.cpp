// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/compare/compared_side.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kernwatt::attribution {
namespace {

constexpr double z95 = 1.96;

bool has_flag(const run::Row& row, const char* flag) {
  return std::find(row.flags.begin(), row.flags.end(), flag) != row.flags.end();
}

double variance_of(const run::Interval& interval) {
  const double sd = (interval.high - interval.low) / (2 * z95);
  return sd * sd;
}

void add(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return (static_cast<double>(to_ns) - static_cast<double>(from_ns)) * 1e-9;
}

}  // namespace

ComparedSide::ComparedSide(const run::Run& run) : run_(run) {
  for (const run::Row& row : run.attribution.rows) row_.emplace(row.id, &row);
  // Launches of a class vary independently of each other, so far as one Run can tell.
  std::unordered_map<std::uint32_t, double> per_launch;
  for (const run::Observation& observation : run.observations)
    if (observation.class_index < run.classes.size() && observation.count > 1)
      per_launch[run.classes[observation.class_index].attribution_row] = observation.time_variance_s2;
  for (const run::Cell& cell : run.attribution.breakdown.cells) {
    const auto variance = per_launch.find(cell.class_row);
    if (variance == per_launch.end()) continue;
    for (const std::uint32_t row : {cell.class_row, cell.operator_row, cell.layer_row, cell.phase_row})
      time_variance_[row] += cell.launches * variance->second;
    if (const auto row = row_.find(cell.class_row); row != row_.end() && row->second->parent)
      time_variance_[*row->second->parent] += cell.launches * variance->second;
  }
}

std::optional<double> ComparedSide::recording_s() const {
  std::optional<double> longest;
  for (const run::TraceSummary& trace : run_.attribution.traces)
    if (trace.start_ns && trace.end_ns)
      longest = std::max(longest.value_or(0), seconds(*trace.start_ns, *trace.end_ns));
  return longest;
}

/// Which part of the launches' time the energies stand for.
double ComparedSide::covered_part() const {
  const run::EnergyAccount& total = run_.attribution.total;
  if (!total.total_j || !total.start_ns || !total.end_ns) return 1;
  std::optional<std::int64_t> first, last;
  for (const run::TraceSummary& trace : run_.attribution.traces) {
    if (trace.start_ns) first = std::min(first.value_or(*trace.start_ns), *trace.start_ns);
    if (trace.end_ns) last = std::max(last.value_or(*trace.end_ns), *trace.end_ns);
  }
  if (first && last && *total.start_ns <= *first && *total.end_ns >= *last) return 1;
  double all_s = 0;
  double measured_s = 0;
  for (const run::Cell& cell : run_.attribution.breakdown.cells) {
    all_s += cell.time_s;
    measured_s += cell.measured_s;
  }
  if (all_s > 0 && measured_s > 0) return std::min(1.0, measured_s / all_s);
  if (!first || !last || *last <= *first) return 1;
  return std::clamp(seconds(*total.start_ns, *total.end_ns) / seconds(*first, *last), 1e-6, 1.0);
}

std::optional<Divisors> ComparedSide::iterations() const {
  const run::IterationSummary& summary = run_.attribution.iterations;
  if (summary.count == 0 || summary.found_by == "none") return std::nullopt;
  // A selection may cut iterations at its ends, and launches may lie outside of all of them: the time of all launches
  // in units of a typical iteration's counts both as they are.
  double all_s = 0;
  std::map<std::pair<int, int>, std::vector<double>> of_iterations;  // by GPU and rank
  for (const run::Row& row : run_.attribution.rows) {
    if (row.view == run::View::kernel_class) all_s += row.time_s;
    if (row.view == run::View::iteration && !has_flag(row, "outside"))
      of_iterations[{row.gpu.value_or(-1), row.rank.value_or(-1)}].push_back(row.time_s);
  }
  double typical_s = 0;
  for (auto& [origin, times] : of_iterations) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    typical_s += *middle;
  }
  if (typical_s <= 0 || all_s <= 0) return std::nullopt;
  Divisors divisors;
  divisors.time = all_s / typical_s;
  divisors.energy = divisors.time * covered_part();
  return divisors;
}

std::optional<double> ComparedSide::tokens_per_iteration() const {
  const run::IterationSummary& summary = run_.attribution.iterations;
  if (!summary.tokens_per_joule || !summary.energy_j) return std::nullopt;
  return *summary.tokens_per_joule * *summary.energy_j;
}

std::string ComparedSide::category_of(const run::Row& row) const {
  if (row.view != run::View::kernel_class || !row.parent) return "";
  const auto parent = row_.find(*row.parent);
  return parent == row_.end() ? "" : parent->second->name;
}

void ComparedSide::add(SideRow& sum, const run::Row& row) const {
  sum.launches += static_cast<double>(row.launches);
  sum.time_s += row.time_s;
  if (const auto variance = time_variance_.find(row.id); variance != time_variance_.end())
    sum.time_variance_s2 = sum.time_variance_s2.value_or(0) + variance->second;
  kernwatt::attribution::add(sum.energy_j, row.energy_j);
  kernwatt::attribution::add(sum.share, row.share_of_total);
  if (row.energy_ci95_j) sum.energy_variance_j2 = sum.energy_variance_j2.value_or(0) + variance_of(*row.energy_ci95_j);
}

std::vector<SideRow> ComparedSide::rows(run::View view) const {
  std::vector<SideRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const run::Row& row : run_.attribution.rows) {
    if (row.view != view) continue;
    const auto [at, added] = place.try_emplace({row.name, row.detail}, rows.size());
    if (added) {
      rows.emplace_back();
      rows.back().name = row.name;
      rows.back().detail = row.detail;
      rows.back().category = category_of(row);
    }
    add(rows[at->second], row);
  }
  return rows;
}

run::ComparedRun ComparedSide::summary(const std::string& file) const {
  run::ComparedRun summary;
  summary.file = file;
  summary.command_line = run_.command_line;
  summary.tool_version = run_.tool_version;
  summary.created_ns = run_.created_ns;
  summary.source = run_.attribution.total.source;
  for (const run::GpuIdentity& device : run_.devices)
    if (!device.name.empty()) summary.gpus.push_back(device.name);
  summary.total_j = run_.attribution.total.total_j;
  summary.recording_s = recording_s();
  if (iterations()) summary.iterations = run_.attribution.iterations.count;
  summary.tokens_per_iteration = tokens_per_iteration();
  return summary;
}

}  // namespace kernwatt::attribution
