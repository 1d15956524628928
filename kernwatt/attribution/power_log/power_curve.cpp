// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/power_curve.hpp"

#include <algorithm>

namespace kernwatt::attribution {

std::int64_t PowerCurve::start_ns(std::size_t i) const {
  if (readings_ == nullptr) return (*knots_)[i].ns;
  const auto& times = readings_->time_ns;
  return i == 0 ? times.front() : times[i - 1] + (times[i] - times[i - 1]) / 2;
}

double PowerCurve::watts(std::size_t i) const {
  if (readings_ != nullptr) return readings_->value[i];
  // Before the first step and after the last one only a part of an update was seen: there the neighbour's slope says
  // more.
  if (knots_->size() > 3) i = std::clamp<std::size_t>(i, 1, knots_->size() - 3);
  const CounterTrack::Knot& a = (*knots_)[i];
  const CounterTrack::Knot& b = (*knots_)[i + 1];
  const double seconds = static_cast<double>(b.ns - a.ns) * 1e-9;
  if (!(seconds > 0)) return 0;
  return (b.counter_j - a.counter_j + b.bridged_j - a.bridged_j) / seconds;
}

std::size_t PowerCurve::step_at(std::int64_t ns) const {
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (end_ns(middle) > ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

BinnedPower binned(const PowerCurve& curve, std::int64_t from_ns, std::int64_t to_ns, std::size_t bins, double gap_s) {
  const double span_s = static_cast<double>(to_ns - from_ns) * 1e-9;
  BinnedPower result{from_ns, span_s / static_cast<double>(bins), {}};
  std::vector<double> joules(bins, 0);
  std::vector<double> covered_s(bins, 0);
  const auto since = [&](std::int64_t ns) {
    return static_cast<double>(std::clamp(ns, from_ns, to_ns) - from_ns) * 1e-9;
  };
  for (std::size_t i = curve.step_at(from_ns); i < curve.size() && curve.start_ns(i) < to_ns; ++i) {
    const double start_s = since(curve.start_ns(i));
    const double end_s = since(curve.end_ns(i));
    if (end_s - start_s > gap_s) continue;
    auto bin = std::min(static_cast<std::size_t>(start_s / result.bin_s), bins - 1);
    for (; bin < bins; ++bin) {
      const double bin_start_s = static_cast<double>(bin) * result.bin_s;
      const double part_s = std::min(end_s, bin_start_s + result.bin_s) - std::max(start_s, bin_start_s);
      if (part_s <= 0 && bin_start_s > end_s) break;
      if (part_s <= 0) continue;
      joules[bin] += part_s * curve.watts(i);
      covered_s[bin] += part_s;
    }
  }
  result.watts.resize(bins);
  for (std::size_t i = 0; i < bins; ++i)
    if (covered_s[i] > 0.1 * result.bin_s) result.watts[i] = joules[i] / covered_s[i];
  return result;
}

}  // namespace kernwatt::attribution
