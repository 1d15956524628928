// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/counter_track.hpp"

#include <algorithm>

#include "kernwatt/attribution/power_log/power_track.hpp"

namespace kernwatt::attribution {
namespace {

/// No board draws more, so a counter that says so leapt.
constexpr double impossible_w = 10'000;
/// An update may lie this far away: energy of that time can show between two polls.
constexpr double slack_s = 0.2;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

CounterTrack::CounterTrack(const run::Series<std::int64_t>& counter_mj, const run::Series<double>* power_w) {
  if (counter_mj.size() < 2) return;
  rhythm_ = rhythm_of(counter_mj, {0, counter_mj.size()});
  // Polled faster than it moves, a step lies in the middle of its two polls; polled slower, each reading is a point of
  // the curve itself.
  const bool stepwise = rhythm_.update.period_s.has_value();
  std::vector<double> steps_j;
  knots_.push_back({counter_mj.time_ns.front(), 0, 0});
  for (std::size_t i = 1; i < counter_mj.size(); ++i) {
    const std::int64_t step = counter_mj.value[i] - counter_mj.value[i - 1];
    if (step == 0) continue;
    const std::int64_t from = counter_mj.time_ns[i - 1];
    const std::int64_t to = counter_mj.time_ns[i];
    const bool leap = static_cast<double>(step) * 1e-3 > impossible_w * (seconds(to - from) + slack_s);
    if (step < 0 || leap) {
      add_break(counter_mj, i, power_w);
      continue;
    }
    const double step_j = static_cast<double>(step) * 1e-3;
    steps_j.push_back(step_j);
    const std::int64_t when = std::max(stepwise ? from + (to - from) / 2 : to, knots_.back().ns);
    knots_.push_back({when, knots_.back().counter_j + step_j, knots_.back().bridged_j});
  }
  if (knots_.back().ns < counter_mj.time_ns.back())
    knots_.push_back({counter_mj.time_ns.back(), knots_.back().counter_j, knots_.back().bridged_j});
  step_j_ = median_of(std::move(steps_j));
}

void CounterTrack::add_break(const run::Series<std::int64_t>& counter_mj, std::size_t i,
                             const run::Series<double>* power_w) {
  const std::int64_t from = counter_mj.time_ns[i - 1];
  const std::int64_t to = counter_mj.time_ns[i];
  ++breaks_;
  uncovered_s_ += seconds(to - from);
  const double by_power_j = power_w != nullptr ? trapezoid_j(*power_w, from, to) : 0;
  const Knot before = knots_.back();
  if (from > before.ns) knots_.push_back({from, before.counter_j, before.bridged_j});
  knots_.push_back({to, before.counter_j, before.bridged_j + by_power_j});
}

double CounterTrack::resolution_s() const { return rhythm_.resolution_s(); }

CounterTrack::Knot CounterTrack::at(std::int64_t ns) const {
  const auto after =
      std::upper_bound(knots_.begin(), knots_.end(), ns, [](std::int64_t t, const Knot& knot) { return t < knot.ns; });
  if (after == knots_.begin()) return knots_.front();
  if (after == knots_.end()) return knots_.back();
  const Knot& a = *std::prev(after);
  const Knot& b = *after;
  const double share = static_cast<double>(ns - a.ns) / static_cast<double>(b.ns - a.ns);
  return {ns, a.counter_j + share * (b.counter_j - a.counter_j), a.bridged_j + share * (b.bridged_j - a.bridged_j)};
}

double CounterTrack::counter_j(std::int64_t from_ns, std::int64_t to_ns) const {
  return at(to_ns).counter_j - at(from_ns).counter_j;
}

double CounterTrack::bridged_j(std::int64_t from_ns, std::int64_t to_ns) const {
  return at(to_ns).bridged_j - at(from_ns).bridged_j;
}

}  // namespace kernwatt::attribution
