// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/power_report.hpp"

/// When readings came, and how often they brought something new. Private to this module.
namespace kernwatt::attribution {

/// A half-open range of readings.
struct ReadingRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t size() const { return last - first; }
};

struct ReadingRhythm {
  std::optional<double> poll_s;    ///< median time from one reading to the next; the mean where they share stamps
  std::uint64_t stale = 0;         ///< readings equal to the one before
  std::optional<double> change_s;  ///< median time from one change of value to the next
  run::UpdateRhythm update;
  /// The time within which nothing can be seen: one update; where that is not known, what the repeats show, or a usual
  /// one that the polls are too coarse to show. In s.
  double resolution_s() const;
};

/// The update period is the time that most often lies between two changes of value, refined by its multiples, so
/// that a plateau, over which a sensor repeats itself by chance or because nothing varies, does not lengthen it.
ReadingRhythm rhythm_of(const run::Series<double>& series, ReadingRange range);
ReadingRhythm rhythm_of(const run::Series<std::int64_t>& series, ReadingRange range);

/// Steps between readings beyond this are gaps. In s.
double gap_threshold_s(std::optional<double> poll_s);

std::optional<double> median_of(std::vector<double> values);

}  // namespace kernwatt::attribution
