// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/clock_alignment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t half_hour_ns = 1'800'000'000'000;

struct Extent {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

template <class T>
void extend(std::optional<Extent>& extent, const run::Series<T>& series) {
  if (series.empty()) return;
  if (!extent) extent = Extent{series.time_ns.front(), series.time_ns.back()};
  extent->first_ns = std::min(extent->first_ns, series.time_ns.front());
  extent->last_ns = std::max(extent->last_ns, series.time_ns.back());
}

std::optional<Extent> extent_of(const run::GpuPower& power) {
  std::optional<Extent> extent;
  extend(extent, power.energy_mj);
  for (const auto* s : {&power.power_instant_w, &power.power_average_w, &power.power_draw_w, &power.power_samples_w})
    extend(extent, *s);
  return extent;
}

const run::Series<double>* any_power(const run::GpuPower& power) {
  for (const auto* s : {&power.power_samples_w, &power.power_instant_w, &power.power_draw_w, &power.power_average_w})
    if (!s->empty()) return s;
  return nullptr;
}

/// Part of the trace that the log covers when `shift` is added to the log's times.
double coverage(const Timeline& timeline, const Extent& log, std::int64_t shift) {
  const std::int64_t from = std::max(timeline.first_ns, log.first_ns + shift);
  const std::int64_t to = std::min(timeline.last_ns, log.last_ns + shift);
  const auto span = static_cast<double>(std::max<std::int64_t>(1, timeline.last_ns - timeline.first_ns));
  return std::max(0.0, static_cast<double>(to - from) / span);
}

/// How well power follows work under a shift: their correlation over the trace, or the mean power where the work
/// never pauses.
double agreement(const Timeline& timeline, const run::Series<double>& power, std::int64_t shift) {
  std::vector<float> busy(timeline.bins, 0.0F);
  for (const BinShare& share : timeline.shares) busy[share.bin] += share.seconds / static_cast<float>(timeline.bin_s);
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < power.size(); ++i) {
    const double t = static_cast<double>(power.time_ns[i] + shift - timeline.origin_ns) * 1e-9 / timeline.bin_s;
    if (t < 0 || t >= timeline.bins) continue;
    const double b = static_cast<double>(busy[static_cast<std::size_t>(t)]);
    const double w = power.value[i];
    n += 1, x += b, y += w, xx += b * b, yy += w * w, xy += b * w;
  }
  if (n < 3) return -1;
  const double vx = xx / n - x * x / n / n;
  const double vy = yy / n - y * y / n / n;
  if (vx < 0.01 || vy <= 0) return y / n * 1e-6;  // no pauses: only the level tells, and it breaks ties only
  return (xy / n - x * y / n / n) / std::sqrt(vx * vy);
}

std::string utc(std::int64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", parts);
}

std::optional<std::int64_t> whole_hours(const Timeline& timeline, const Extent& log, const run::GpuPower& power,
                                        bool zero_counts) {
  std::optional<std::int64_t> best;
  double best_score = -2;
  const run::Series<double>* series = any_power(power);
  for (int step = -28; step <= 28; ++step) {
    const std::int64_t shift = step * half_hour_ns;
    if ((step == 0 && !zero_counts) || coverage(timeline, log, shift) < 0.9) continue;
    double score = series != nullptr ? agreement(timeline, *series, shift) : 0;
    if (step == 0) score += 0.05;  // the plain reading wins unless another is clearly better
    if (score > best_score) best_score = score, best = shift;
  }
  return best;
}

void no_overlap(const Timeline& timeline, const Extent& log, bool absolute, QualityLedger& quality) {
  if (!absolute) {
    quality.add(
        "time.no-common-clock", Severity::error,
        "the trace's times are not real time, so the log cannot be laid beside it; give --time-offset (seconds to "
        "add to the log's times). Times only, no energy");
    return;
  }
  quality.add(
      "time.no-overlap", Severity::error,
      fmt::format("the log ({} to {}) and the trace ({} to {}) do not overlap, nor do they when whole hours are "
                  "added; give --time-offset, or the log of the same run. Times only, no energy",
                  utc(log.first_ns), utc(log.last_ns), utc(timeline.first_ns), utc(timeline.last_ns)));
}

}  // namespace

std::optional<std::int64_t> align_clocks(const run::Trace& trace, const Timeline& timeline, const LoggedGpu& logged,
                                         std::optional<double> given_s, QualityLedger& quality) {
  const std::optional<Extent> log = extent_of(logged.power);
  if (!log) {
    quality.add("power.none", Severity::error, fmt::format("the log has no power and no energy of {}", logged.name));
    return std::nullopt;
  }
  if (given_s) {
    const auto shift = static_cast<std::int64_t>(std::llround(*given_s * 1e9));
    quality.add("time.offset-given", Severity::info,
                fmt::format("{} s were added to the log's times, as asked", *given_s));
    if (coverage(timeline, *log, shift) > 0) return shift;
    no_overlap(timeline, *log, true, quality);
    return std::nullopt;
  }
  const bool doubtful_zone = logged.basis == run::TimeBasis::local_unknown;
  if (trace.time_is_absolute && !doubtful_zone && coverage(timeline, *log, 0) > 0) return 0;
  const auto shift = trace.time_is_absolute ? whole_hours(timeline, *log, logged.power, doubtful_zone) : std::nullopt;
  if (!shift && trace.time_is_absolute && coverage(timeline, *log, 0) > 0) return 0;
  if (!shift) {
    no_overlap(timeline, *log, trace.time_is_absolute, quality);
    return std::nullopt;
  }
  if (*shift != 0)
    quality.add("time.whole-hours", Severity::warning,
                fmt::format("{:+.1f} h were added to the log's times: only so does it cover the trace (a log in local "
                            "time?). --time-offset sets it by hand",
                            static_cast<double>(*shift) / 3.6e12));
  return shift;
}

void shift_times(run::GpuPower& power, std::int64_t ns) {
  if (ns == 0) return;
  const auto move = [ns](auto& series) {
    for (std::int64_t& t : series.time_ns) t += ns;
  };
  move(power.energy_mj);
  move(power.power_instant_w);
  move(power.power_average_w);
  move(power.power_draw_w);
  move(power.power_samples_w);
  move(power.sm_mhz);
  move(power.mem_mhz);
  move(power.temperature_c);
  move(power.event_reasons);
}

}  // namespace kernwatt::attribution
