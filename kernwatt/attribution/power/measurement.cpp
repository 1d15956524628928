// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>

namespace kernwatt::attribution {
namespace {

constexpr std::size_t enough_points = 8;
constexpr double driver_period_s = 0.020;
constexpr std::uint64_t sw_power_cap = 0x4;  // NVML clock event reason

double percentile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The phase of a 20 ms grid on which most stamps lie; stamps after it are late by the difference.
std::vector<double> lateness(const std::vector<double>& time_s) {
  std::vector<double> late(time_s.size(), 0.0);
  if (time_s.size() < 50) return late;
  constexpr int slots = 40;
  double best_period = driver_period_s;
  double best_phase = 0;
  int best = 0;
  for (int i = -50; i <= 50; ++i) {
    const double period = driver_period_s * (1 + i * 5e-6);
    std::vector<int> histogram(slots, 0);
    for (const double t : time_s) {
      const double part = (t - time_s[0]) / period;
      ++histogram[static_cast<std::size_t>((part - std::floor(part)) * slots) % slots];
    }
    const auto top = std::max_element(histogram.begin(), histogram.end());
    if (*top <= best) continue;
    best = *top;
    best_period = period;
    best_phase = (static_cast<double>(top - histogram.begin()) + 0.5) / slots * period;
  }
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    const double r =
        std::fmod(time_s[i] - time_s[0] - best_phase + 1.25 * best_period, best_period) - 0.25 * best_period;
    if (r > 0.0015) late[i] = std::min(r, 0.008);
  }
  return late;
}

/// Readings inside the span. `changes_only`: a polled value counts when it is new, for that is when it was measured.
PowerPoints points_of(const run::Series<double>& series, std::int64_t origin_ns, std::int64_t offset_ns, double from_s,
                      double to_s, bool changes_only) {
  PowerPoints points;
  constexpr double same_sample_s = 0.003;  // the driver hands a sample out twice with stamps that differ a little
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double t = static_cast<double>(series.time_ns[i] - origin_ns + offset_ns) * 1e-9;
    if (t < from_s || t > to_s) continue;
    if (changes_only && i > 0 && series.value[i] == series.value[i - 1]) continue;
    if (!points.time_s.empty() && t - points.time_s.back() < same_sample_s) continue;
    points.time_s.push_back(t);
    points.watts.push_back(series.value[i]);
  }
  return points;
}

/// Median step of the polls.
double poll_of(const run::Series<double>& series) {
  if (series.size() < 2) return 0;
  std::vector<double> step;
  step.reserve(series.size() - 1);
  for (std::size_t i = 1; i < series.size(); ++i)
    step.push_back(static_cast<double>(series.time_ns[i] - series.time_ns[i - 1]) * 1e-9);
  return percentile(std::move(step), 0.5);
}

std::size_t count_within(const PowerPoints& points, double from_s, double to_s) {
  return static_cast<std::size_t>(
      std::count_if(points.time_s.begin(), points.time_s.end(), [&](double t) { return t >= from_s && t <= to_s; }));
}

/// The finest sensor with enough readings in the trace itself; else the one with the most.
PowerPoints best_points(const run::GpuPower& log, std::int64_t origin_ns, std::int64_t offset_ns,
                        const ReadingSpan& span) {
  const auto [from_s, to_s] = span.kept;
  struct Candidate {
    PointSource source;
    const run::Series<double>* series;
  };
  const Candidate candidates[] = {{PointSource::driver_samples, &log.power_samples_w},
                                  {PointSource::instant, &log.power_instant_w},
                                  {PointSource::draw, &log.power_draw_w},
                                  {PointSource::average, &log.power_average_w}};
  PowerPoints best;
  std::size_t best_inside = 0;
  for (const Candidate& candidate : candidates) {
    const bool polled = candidate.source != PointSource::driver_samples;
    PowerPoints points = points_of(*candidate.series, origin_ns, offset_ns, from_s, to_s, polled);
    // A value that never changes in a span has one new reading; take the polls themselves then.
    if (polled && points.size() < enough_points)
      points = points_of(*candidate.series, origin_ns, offset_ns, from_s, to_s, false);
    points.source = candidate.source;
    if (polled) points.poll_s = poll_of(*candidate.series);
    const std::size_t inside = count_within(points, span.trace.first, span.trace.second);
    if (inside > best_inside || best.size() == 0) best_inside = inside, best = std::move(points);
    if (best_inside >= enough_points) break;
  }
  if (best.size() == 0) best.source = PointSource::none;
  return best;
}

/// A board holds its limit on average and passes it for milliseconds by about a quarter (846 - 941 W were read on a
/// 700 W card). Where the log does not say the limit, the highest one-second mean is a lower bound of it, and the
/// highest fast readings, but for single peaks, show how far the board goes.
std::optional<double> transient_limit(const run::GpuPower& log, const PowerPoints& points) {
  constexpr double overshoot = 1.25;
  if (log.power_limit_w) return overshoot * *log.power_limit_w;
  const auto& reasons = log.event_reasons.value;
  const auto capped =
      std::count_if(reasons.begin(), reasons.end(), [](std::uint64_t r) { return (r & sw_power_cap) != 0; });
  if (static_cast<double>(capped) < 0.02 * static_cast<double>(reasons.size()) || reasons.empty()) return std::nullopt;
  double limit = 0;
  for (const double w : log.power_average_w.value) limit = std::max(limit, overshoot * w);
  if (points.size() >= 100) limit = std::max(limit, percentile(points.watts, 0.98));
  return limit > 0 ? std::optional(limit) : std::nullopt;
}

std::optional<double> quiet_power(const run::GpuPower& log) {
  for (const auto* series : {&log.power_samples_w, &log.power_instant_w, &log.power_draw_w, &log.power_average_w})
    if (series->size() >= enough_points) return percentile(series->value, 0.01);
  return std::nullopt;
}

}  // namespace

Measurement gather_measurement(const run::GpuPower& log, std::int64_t origin_ns, std::int64_t offset_ns,
                               const ReadingSpan& span) {
  Measurement m;
  m.edges = find_counter_edges(log.energy_mj, origin_ns - offset_ns);
  m.points = best_points(log, origin_ns, offset_ns, span);
  m.points.late_s.assign(m.points.size(), 0.0);
  if (m.points.source == PointSource::driver_samples) m.points.late_s = lateness(m.points.time_s);
  m.limit_w = transient_limit(log, m.points);
  m.quiet_w = quiet_power(log);
  return m;
}

SensorResponse nominal_response(const PowerPoints& points) {
  const PointSource source = points.source;
  SensorResponse response;
  response.delay_s = 0.0035;
  if (source == PointSource::instant) response.delay_s = 0.010;
  if (source == PointSource::instant && points.poll_s > slow_poll_s) {
    // The sensor updates ten times a second; a new reading is up to a poll old, so on average it is a mean over one.
    constexpr double update_s = 0.1;
    response.window_s = std::min(points.poll_s, update_s);
    response.delay_s += response.lag_s;
  }
  if (source == PointSource::draw || source == PointSource::average) {
    response.window_s = 1.0;
    response.delay_s = 0.05;
  }
  return response;
}

std::string_view to_string(PointSource source) {
  switch (source) {
    case PointSource::none:
      return "none";
    case PointSource::driver_samples:
      return "driver samples";
    case PointSource::instant:
      return "instant power";
    case PointSource::draw:
      return "power.draw";
    case PointSource::average:
      return "average power";
  }
  return "none";
}

}  // namespace kernwatt::attribution
