// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernwatt/attribution/power_log/reading_rhythm.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/power_report.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// Trapezoid over [from, to], values at the ends interpolated; nothing outside of the readings.
double trapezoid_j(const run::Series<double>& power_w, std::int64_t from_ns, std::int64_t to_ns);

/// An integral with the variance that its readings leave.
struct Integral {
  double joules = 0;
  double variance_j2 = 0;
};

/// The power readings of one GPU: those of the sensor that says most.
class PowerTrack {
 public:
  /// The first of draw, instant, average and samples that has nine tenths as many readings as the fullest.
  explicit PowerTrack(const run::GpuPower& gpu);

  bool usable() const { return has_span() && !too_few(); }
  /// False when all readings are of one moment, or have no times.
  bool has_span() const { return series_ != nullptr && series_->size() >= 2 && end_ns() > start_ns(); }
  /// Too few, too far apart, for their integral to be an energy.
  bool too_few() const;
  bool empty() const { return series_ == nullptr; }
  const run::Series<double>& series() const { return *series_; }
  std::string_view sensor() const { return sensor_; }
  std::int64_t start_ns() const { return series_->time_ns.front(); }
  std::int64_t end_ns() const { return series_->time_ns.back(); }
  const ReadingRhythm& rhythm() const { return rhythm_; }
  /// Time by which the readings trail behind the power, because they are means over the past. In s.
  double lag_s() const { return lag_s_; }
  /// One update; a usual one where the log cannot show it. In s.
  double resolution_s() const;
  /// One value from first to last, long enough that a live sensor would have varied.
  bool is_flat_too_long() const;
  double min_w() const { return min_w_; }
  double max_w() const { return max_w_; }

  /// The readings from `from` to `to`, both included.
  ReadingRange range(std::int64_t from_ns, std::int64_t to_ns) const;
  /// Trapezoid over [from, to].
  Integral integral(std::int64_t from_ns, std::int64_t to_ns) const;
  run::ReadingGaps gaps(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  double variance_between(std::int64_t from_ns, std::int64_t to_ns) const;

  const run::Series<double>* series_ = nullptr;
  std::string_view sensor_;
  double lag_s_ = 0;
  ReadingRhythm rhythm_;
  double min_w_ = 0;
  double max_w_ = 0;
};

}  // namespace kernwatt::attribution
