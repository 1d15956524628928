// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/log_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/log_extent.hpp"
#include "kernwatt/attribution/account/work_track.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t quarter_ns = 900'000'000'000;
constexpr int zones = 56;  // quarters of an hour, from -14 h to +14 h
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr double most_work = 2e7;  // readings to look at in one search

struct Found {
  std::int64_t shift_ns = 0;
  double score = -2;
};

/// One log against all traces.
class LogClock {
 public:
  LogClock(const std::vector<TracedWork>& work, const run::PowerLog& log, const Extent& extent)
      : work_(work), extent_(extent) {
    for (const run::GpuPower& gpu : log.gpus)
      if (const auto* power = quickest_power(gpu)) powers_.push_back(power);
  }

  /// Part of the trace that the log covers best, when its times are shifted.
  double coverage(std::int64_t shift_ns) const {
    double best = 0;
    for (const TracedWork& w : work_) best = std::max(best, covered(w.work, extent_, shift_ns));
    return best;
  }

  /// How well any of the log's GPUs follows the work of any GPU of the traces.
  double agreement(std::int64_t shift_ns, std::size_t enough = 8) const {
    double best = -1;
    double level = 0;
    for (const TracedWork& w : work_)
      for (const auto* power : powers_) {
        best = std::max(best, w.work.correlation(*power, shift_ns, enough));
        level = std::max(level, w.work.mean_power(*power, shift_ns));
      }
    return best > -1 ? best : level * 1e-6;  // no pauses: only the level tells, and it breaks ties only
  }

  std::optional<Found> by_zone(bool zero_counts) const {
    constexpr double plain_reading = 0.3;  // wins unless another is clearly better
    std::optional<Found> best;
    for (int step = -zones; step <= zones; ++step) {
      const std::int64_t shift = step * quarter_ns;
      if ((step == 0 && !zero_counts) || coverage(shift) < 0.9) continue;
      const double score = agreement(shift) + (step == 0 ? plain_reading : 0);
      if (!best || score > best->score) best = Found{shift, score};
    }
    return best;
  }

  /// The best of the shifts in [from, to]; the nearest to `near` among equals. `rival`: the best that is clearly
  /// another place.
  Found search(std::int64_t from, std::int64_t to, std::int64_t near, Found& rival) const {
    // A few readings agree with anything somewhere, if one searches long enough.
    constexpr std::size_t many = 40;
    constexpr double most_covered = 0.8;
    double readings = 1;
    for (const auto* power : powers_) readings += static_cast<double>(power->size());
    const double steps = std::max(1.0, most_work / readings / static_cast<double>(work_.size()));
    const auto step =
        std::max<std::int64_t>(second_ns / 20, static_cast<std::int64_t>(static_cast<double>(to - from) / steps));
    std::vector<Found> all;
    for (std::int64_t shift = from; shift <= to; shift += step)
      all.push_back({shift, coverage(shift) < most_covered ? -2 : agreement(shift, many)});
    const auto by_score = [](const Found& a, const Found& b) { return a.score < b.score; };
    Found best = *std::max_element(all.begin(), all.end(), by_score);
    const double equal = best.score - 0.02;
    for (const Found& f : all)
      if (f.score >= equal && std::abs(f.shift_ns - near) < std::abs(best.shift_ns - near)) best = f;
    rival = {};
    for (const Found& f : all)
      if (std::abs(f.shift_ns - best.shift_ns) > 2 * second_ns && f.score > rival.score) rival = f;
    return best;
  }

  bool has_power() const { return !powers_.empty(); }

  /// Long enough to have bursts that happen once.
  bool is_long() const {
    constexpr std::int64_t enough_ns = 10 * second_ns;
    return std::any_of(work_.begin(), work_.end(),
                       [](const TracedWork& w) { return w.work.last_ns() - w.work.first_ns() >= enough_ns; });
  }

 private:
  const std::vector<TracedWork>& work_;
  Extent extent_;
  std::vector<const run::Series<double>*> powers_;
};

std::optional<double> given_offset(const AttributeOptions& options, const run::PowerLog& log) {
  std::optional<double> given;
  for (const TimeOffset& offset : options.time_offsets) {
    const bool about_it = offset.file == log.file || offset.file == file_name(log.file);
    if (about_it) return offset.seconds;
    if (offset.file.empty()) given = offset.seconds;
  }
  return given;
}

Status check_offsets(const AttributeOptions& options, const std::vector<run::PowerLog>& logs) {
  for (const TimeOffset& offset : options.time_offsets) {
    const auto is_it = [&](const run::PowerLog& log) {
      return offset.file.empty() || offset.file == log.file || offset.file == file_name(log.file);
    };
    if (std::none_of(logs.begin(), logs.end(), is_it))
      return Error{ErrorCode::invalid_argument, fmt::format("'{}' is none of the power logs", offset.file),
                   "--time-offset"};
  }
  return {};
}

/// Clocks that are seconds apart: the readings follow the work, but earlier or later. Less than a second may be the
/// sensor's own window, which the fit finds. A short trace agrees with something somewhere, and a periodic one with
/// many places: neither shows an offset.
std::optional<Found> apart(const LogClock& clock) {
  constexpr double clear = 0.8;
  constexpr double better = 0.4;
  constexpr double alone = 0.15;
  constexpr std::int64_t range = 60 * second_ns;
  const double now = clock.agreement(0);
  if (now > 1 - better || !clock.is_long()) return std::nullopt;
  Found rival;
  const Found best = clock.search(-range, range, 0, rival);
  const bool far = std::abs(best.shift_ns) > second_ns;
  return far && best.score > clear && best.score > now + better && best.score > rival.score + alone
             ? std::optional(best)
             : std::nullopt;
}

class LogPlacer {
 public:
  LogPlacer(const std::vector<run::Trace>& traces, const std::vector<TracedWork>& work, QualityLedger& quality)
      : work_(work), quality_(quality) {
    for (const TracedWork& w : work) absolute_ = absolute_ && traces[w.trace].time_is_absolute;
  }

  void place(run::PowerLog& log, const Extent& extent) {
    const LogClock clock(work_, log, extent);
    if (!absolute_ || is_relative(extent)) {
      log.basis = run::TimeBasis::unknown_zero;
      return place_anywhere(log, extent, clock);
    }
    const bool doubtful_zone = log.basis == run::TimeBasis::local_unknown;
    if (doubtful_zone || clock.coverage(0) <= 0) {
      const auto zone = clock.by_zone(doubtful_zone);
      if (!zone && clock.coverage(0) <= 0) return;  // said where its GPUs are used
      if (zone && zone->shift_ns != 0) {
        shift_times(log, zone->shift_ns);
        quality_.add("time.whole-hours", Severity::warning,
                     fmt::format("{:+.2f} h were added to the times of {}: only so does it cover the trace (a log in "
                                 "local time?). --time-offset sets it by hand",
                                 static_cast<double>(zone->shift_ns) / 3.6e12, file_name(log.file)));
      }
    }
    const auto moved = extent_of(log);
    const LogClock placed(work_, log, *moved);
    const auto shift = placed.has_power() ? apart(placed) : std::nullopt;
    if (!shift) return;
    shift_times(log, shift->shift_ns);
    said_found(log, shift->shift_ns, shift->score);
  }

 private:
  /// Times from an unknown zero: the log is laid where its power follows the work, if there is one such place.
  void place_anywhere(run::PowerLog& log, const Extent& extent, const LogClock& clock) {
    constexpr double clear = 0.8;
    constexpr double alone = 0.15;
    if (!clock.has_power() || !clock.is_long()) return;
    std::int64_t first = work_.front().work.first_ns();
    std::int64_t last = work_.front().work.last_ns();
    for (const TracedWork& w : work_) {
      first = std::min(first, w.work.first_ns());
      last = std::max(last, w.work.last_ns());
    }
    const std::int64_t from = last - extent.last_ns;
    const std::int64_t to = first - extent.first_ns;
    if (from > to) return;
    Found rival;
    const Found best = clock.search(from, to, from, rival);
    if (best.score < clear || best.score < rival.score + alone) return;
    shift_times(log, best.shift_ns);
    log.basis = run::TimeBasis::absolute;
    said_found(log, best.shift_ns, best.score);
  }

  void said_found(const run::PowerLog& log, std::int64_t shift_ns, double score) {
    quality_.add("time.offset-found", Severity::warning,
                 fmt::format("{:+.2f} s were added to the times of {}: only so do its readings follow the work of the "
                             "trace (correlation {:.2f}). --time-offset sets it by hand",
                             static_cast<double>(shift_ns) * 1e-9, file_name(log.file), score));
  }

  const std::vector<TracedWork>& work_;
  QualityLedger& quality_;
  bool absolute_ = true;
};

}  // namespace

Status align_logs(const std::vector<run::Trace>& traces, std::vector<run::PowerLog>& logs,
                  const AttributeOptions& options, QualityLedger& quality) {
  KERNWATT_CHECK(check_offsets(options, logs));
  const std::vector<TracedWork> work = work_of(traces);
  LogPlacer placer(traces, work, quality);
  for (run::PowerLog& log : logs) {
    const std::optional<Extent> extent = extent_of(log);
    if (!extent) continue;
    if (const auto given = given_offset(options, log)) {
      shift_times(log, static_cast<std::int64_t>(std::llround(*given * 1e9)));
      log.basis = run::TimeBasis::absolute;
      quality.add("time.offset-given", Severity::info,
                  fmt::format("{} s were added to the times of {}, as asked", *given, file_name(log.file)));
    } else if (!work.empty()) {
      placer.place(log, *extent);
    }
  }
  return {};
}

}  // namespace kernwatt::attribution
