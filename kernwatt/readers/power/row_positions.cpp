// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/row_positions.hpp"

#include <algorithm>
#include <cmath>

#include "kernwatt/readers/power/power_math.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

const run::Series<double>& readings_of(const GpuRows& rows) {
  static const run::Series<double> none;
  const PowerSensor sensor = sensor_for_energy(rows.power);
  return sensor.series == nullptr ? none : *sensor.series;
}

bool has_fractions(const run::Series<double>& series) {
  return std::any_of(series.time_ns.begin(), series.time_ns.end(), [](std::int64_t ns) { return ns % second_ns != 0; });
}

}  // namespace

std::uint64_t InstantGroups::place(std::int64_t ns) {
  size_ = ns_ == ns ? size_ + 1 : 1;
  ns_ = ns;
  if (size_ > 1) --sizes_[size_ - 1];
  ++sizes_[size_];
  return size_;
}

bool InstantGroups::all_have(std::uint64_t size) const {
  std::uint64_t groups = 0;
  std::uint64_t full = 0;
  for (const auto& [members, count] : sizes_) {
    groups += count;
    if (members == size) full += count;
  }
  return groups >= 3 && full + 1 >= groups;
}

bool are_different_gpus(const std::vector<GpuRows>& places, bool same_instant) {
  if (same_instant && has_fractions(readings_of(places.front()))) return true;
  std::vector<double> apart;
  std::vector<double> moves;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto& here = readings_of(places[p]).value;
    for (std::size_t i = 1; i < here.size(); ++i) moves.push_back(std::abs(here[i] - here[i - 1]));
    if (p == 0) continue;
    const auto& before = readings_of(places[p - 1]).value;
    for (std::size_t i = 0; i < std::min(here.size(), before.size()); ++i) {
      apart.push_back(std::abs(here[i] - before[i]));
    }
  }
  const auto usual_distance = median(std::move(apart));
  const auto usual_move = median(std::move(moves));
  return usual_distance && usual_move && *usual_distance > 2 * *usual_move;
}

void number_by_position(std::vector<GpuRows>& gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].power.gpu.index = static_cast<int>(i);
}

}  // namespace kernwatt::readers
