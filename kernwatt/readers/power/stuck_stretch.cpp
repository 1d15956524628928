// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/stuck_stretch.hpp"

#include <algorithm>
#include <cmath>

namespace kernwatt::readers {

namespace {

constexpr double shortest_s = 60;
constexpr std::size_t fewest_readings = 30;
constexpr double idle_share = 0.05;  // of the range of the powers, above the lowest
constexpr double counter_agrees = 0.05;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Run longest_run(const run::Series<double>& series) {
  Run longest;
  Run here;
  const auto length = [&](const Run& r) {
    return r.end > r.begin ? series.time_ns[r.end - 1] - series.time_ns[r.begin] : std::int64_t{-1};
  };
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series.value[i] != series.value[here.begin]) here.begin = i;
    here.end = i + 1;
    if (length(here) > length(longest)) longest = here;
  }
  return longest;
}

// Elsewhere the value has to change often enough that this many equal readings are no chance.
bool varies_elsewhere(const run::Series<double>& series, const Run& run) {
  std::size_t steps = 0;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (i >= run.begin && i <= run.end) continue;
    ++steps;
    changes += series.value[i] != series.value[i - 1] ? 1U : 0U;
  }
  return changes >= fewest_readings && (run.end - run.begin) * changes >= fewest_readings * steps;
}

bool counter_confirms(const run::Series<std::int64_t>& counter, const StuckStretch& stretch) {
  const auto first = std::lower_bound(counter.time_ns.begin(), counter.time_ns.end(), stretch.from_ns);
  const auto behind = std::upper_bound(counter.time_ns.begin(), counter.time_ns.end(), stretch.to_ns);
  if (behind - first < 2) return false;
  const auto a = static_cast<std::size_t>(first - counter.time_ns.begin());
  const auto b = static_cast<std::size_t>(behind - counter.time_ns.begin()) - 1;
  const double counted_j = static_cast<double>(counter.value[b] - counter.value[a]) * 1e-3;
  const double stuck_j = stretch.watts * seconds(counter.time_ns[b] - counter.time_ns[a]);
  return std::abs(counted_j - stuck_j) <= counter_agrees * stuck_j;
}

}  // namespace

std::optional<StuckStretch> stuck_stretch(const run::Series<double>& power_w,
                                          const run::Series<std::int64_t>& energy_mj) {
  const Run run = longest_run(power_w);
  const std::size_t readings = run.end - run.begin;
  if (readings < fewest_readings || readings == power_w.size()) return std::nullopt;
  StuckStretch stretch{power_w.time_ns[run.begin], power_w.time_ns[run.end - 1], power_w.value[run.begin], readings, 0};
  const double span_s = seconds(stretch.to_ns - stretch.from_ns);
  if (span_s < shortest_s || !varies_elsewhere(power_w, run)) return std::nullopt;
  const auto whole = [](double w) { return w == std::floor(w); };
  if (std::all_of(power_w.value.begin(), power_w.value.end(), whole)) return std::nullopt;
  const auto [lowest, highest] = std::minmax_element(power_w.value.begin(), power_w.value.end());
  if (stretch.watts <= *lowest + idle_share * (*highest - *lowest)) return std::nullopt;
  if (counter_confirms(energy_mj, stretch)) return std::nullopt;
  stretch.energy_j = stretch.watts * span_s;
  return stretch;
}

}  // namespace kernwatt::readers
