// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernwatt/attribution/power_log/counter_track.hpp"
#include "kernwatt/attribution/power_log/power_track.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// Power over time as steps, whichever the source: each reading holds from half way after the one before to half way
/// before the next (so that the steps' sum is the trapezoid's); between two steps of a counter it is their slope.
class PowerCurve {
 public:
  explicit PowerCurve(const run::Series<double>& readings) : readings_(&readings) {}
  explicit PowerCurve(const CounterTrack& counter) : knots_(&counter.knots()) {}

  std::size_t size() const { return readings_ != nullptr ? readings_->size() : knots_->size() - 1; }
  std::int64_t start_ns(std::size_t i) const;
  std::int64_t end_ns(std::size_t i) const { return i + 1 < size() ? start_ns(i + 1) : last_ns(); }
  double watts(std::size_t i) const;
  /// The first step that ends after `ns`; size() when there is none.
  std::size_t step_at(std::int64_t ns) const;

 private:
  std::int64_t last_ns() const { return readings_ != nullptr ? readings_->time_ns.back() : knots_->back().ns; }
  const run::Series<double>* readings_ = nullptr;
  const std::vector<CounterTrack::Knot>* knots_ = nullptr;
};

/// Mean power in equal bins of a stretch; empty where no step reaches, or one that is longer than `gap_s` does.
struct BinnedPower {
  std::int64_t from_ns = 0;
  double bin_s = 0;
  std::vector<std::optional<double>> watts;
};
BinnedPower binned(const PowerCurve& curve, std::int64_t from_ns, std::int64_t to_ns, std::size_t bins, double gap_s);

}  // namespace kernwatt::attribution
