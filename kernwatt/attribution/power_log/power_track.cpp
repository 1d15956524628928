// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/power_track.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernwatt/run/enough_readings.hpp"

namespace kernwatt::attribution {
namespace {

struct Sensor {
  const run::Series<double>* series;
  std::string_view name;
  double lag_s;  ///< half the window of a mean over the past
};

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

double square(double value) { return value * value; }

/// Linear between the readings; the end's value outside of them.
double value_at(const run::Series<double>& series, std::int64_t ns) {
  const auto after = std::lower_bound(series.time_ns.begin(), series.time_ns.end(), ns);
  if (after == series.time_ns.begin()) return series.value.front();
  if (after == series.time_ns.end()) return series.value.back();
  const auto b = static_cast<std::size_t>(after - series.time_ns.begin());
  const std::size_t a = b - 1;
  const double span = seconds(series.time_ns[b] - series.time_ns[a]);
  if (!(span > 0)) return series.value[b];
  return series.value[a] + (series.value[b] - series.value[a]) * seconds(ns - series.time_ns[a]) / span;
}

}  // namespace

double trapezoid_j(const run::Series<double>& series, std::int64_t from_ns, std::int64_t to_ns) {
  if (series.size() < 2) return 0;
  const std::int64_t from = std::max(from_ns, series.time_ns.front());
  const std::int64_t to = std::min(to_ns, series.time_ns.back());
  if (from >= to) return 0;
  const auto& times = series.time_ns;
  auto next = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), from) - times.begin());
  double sum = 0;
  std::int64_t t = from;
  double w = value_at(series, from);
  for (; next < times.size() && times[next] < to; ++next) {
    sum += (w + series.value[next]) / 2 * seconds(times[next] - t);
    t = times[next];
    w = series.value[next];
  }
  return sum + (w + value_at(series, to)) / 2 * seconds(to - t);
}

PowerTrack::PowerTrack(const run::GpuPower& gpu) {
  // Since the Ampere generation power.draw is, on most boards, the mean of the last second.
  const std::array sensors{Sensor{&gpu.power_draw_w, "power.draw", 0.5},
                           Sensor{&gpu.power_instant_w, "power.draw.instant", 0},
                           Sensor{&gpu.power_average_w, "power.draw.average", 0.5},
                           Sensor{&gpu.power_samples_w, "the driver's 20 ms samples", 0}};
  std::size_t most = 0;
  for (const Sensor& sensor : sensors) most = std::max(most, sensor.series->size());
  if (most == 0) return;
  const Sensor& chosen = *std::find_if(sensors.begin(), sensors.end(),
                                       [&](const Sensor& sensor) { return sensor.series->size() * 10 >= most * 9; });
  series_ = chosen.series;
  sensor_ = chosen.name;
  lag_s_ = chosen.lag_s;
  rhythm_ = rhythm_of(*series_, {0, series_->size()});
  const auto [least, greatest] = std::minmax_element(series_->value.begin(), series_->value.end());
  min_w_ = *least;
  max_w_ = *greatest;
}

bool PowerTrack::too_few() const {
  return series_ == nullptr || run::too_few_for_energy(series_->size(), rhythm_.poll_s.value_or(0));
}

double PowerTrack::resolution_s() const { return rhythm_.resolution_s(); }

bool PowerTrack::is_flat_too_long() const {
  return usable() && max_w_ == min_w_ && series_->size() >= 50 && seconds(end_ns() - start_ns()) >= 60;
}

ReadingRange PowerTrack::range(std::int64_t from_ns, std::int64_t to_ns) const {
  const auto& times = series_->time_ns;
  const auto first = std::lower_bound(times.begin(), times.end(), from_ns);
  const auto last = std::upper_bound(first, times.end(), to_ns);
  return {static_cast<std::size_t>(first - times.begin()), static_cast<std::size_t>(last - times.begin())};
}

/// Three sources: which reading an end falls to (one update at each end), the power's way between two readings (it may
/// go over at any time between them; in a gap it may be anything that the log has seen), and the trailing of means.
double PowerTrack::variance_between(std::int64_t from_ns, std::int64_t to_ns) const {
  const double update_s = resolution_s();
  const double gap_s = gap_threshold_s(rhythm_.poll_s);
  const double at_start = value_at(*series_, from_ns);
  const double at_end = value_at(*series_, to_ns);
  double variance = square(update_s) / 12 * (square(at_start) + square(at_end));
  variance += square(lag_s_ * (at_end - at_start));
  const ReadingRange inside = range(from_ns, to_ns);
  const std::size_t first = std::max<std::size_t>(inside.first, 1);
  const std::size_t last = std::min(inside.last + 1, series_->size());
  for (std::size_t i = first; i < last; ++i) {
    const double step_s = seconds(std::min(series_->time_ns[i], to_ns) - std::max(series_->time_ns[i - 1], from_ns));
    const double change_w = series_->value[i] - series_->value[i - 1];
    if (change_w != 0) variance += square(change_w * std::max(step_s, std::min(update_s, 2.0))) / 12;
    if (step_s > gap_s) variance += square((max_w_ - min_w_) * step_s) / 12;
  }
  return variance;
}

Integral PowerTrack::integral(std::int64_t from_ns, std::int64_t to_ns) const {
  return {trapezoid_j(*series_, from_ns, to_ns), variance_between(from_ns, to_ns)};
}

run::ReadingGaps PowerTrack::gaps(std::int64_t from_ns, std::int64_t to_ns) const {
  run::ReadingGaps gaps;
  const double threshold_s = gap_threshold_s(rhythm_.poll_s);
  const ReadingRange inside = range(from_ns, to_ns);
  for (std::size_t i = inside.first + 1; i < inside.last; ++i) {
    const double step_s = seconds(series_->time_ns[i] - series_->time_ns[i - 1]);
    if (!gaps.longest_s || step_s > *gaps.longest_s) {
      gaps.longest_s = step_s;
      gaps.longest_start_ns = series_->time_ns[i - 1];
    }
    if (step_s <= threshold_s) continue;
    ++gaps.count;
    gaps.total_s += step_s;
    gaps.bridged_j = gaps.bridged_j.value_or(0) + (series_->value[i] + series_->value[i - 1]) / 2 * step_s;
  }
  return gaps;
}

}  // namespace kernwatt::attribution
