// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/reading_rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <vector>

namespace kernwatt::attribution {
namespace {

/// Fewer intervals than this prove no rhythm of a power sensor: they may be the program's. A counter has only its own.
constexpr std::size_t fewest_of_sensor = 10;
constexpr std::size_t fewest_of_counter = 3;
/// What NVIDIA's sensors and counters take at most from one update to the next.
constexpr double usual_update_s = 0.1;

/// Where sorted intervals lie densest, within a factor of 1.3: the period of the updates, or of a part of them.
double densest(const std::vector<double>& sorted) {
  std::size_t best = 0;
  std::size_t most = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    end = std::max(end, i);
    while (end < sorted.size() && sorted[end] <= 1.3 * sorted[i]) ++end;
    // Strictly more, so that among equals the shortest wins: longer ones are its multiples.
    if (end - i > most) {
      most = end - i;
      best = i + most / 2;
    }
  }
  return sorted[best];
}

/// The period of which the intervals are small multiples. Polls cut them to multiples of their own: one period may show
/// as any time within a poll of it.
double refined(const std::vector<double>& intervals, double period, double poll_s) {
  for (int round = 0; round < 3; ++round) {
    double time = 0;
    double periods = 0;
    for (const double interval : intervals) {
      const bool one = std::abs(interval - period) <= 1.01 * poll_s;
      const double times = one ? 1 : std::round(interval / period);
      if (times < 1 || times > 3 || (!one && std::abs(interval / period - times) > 0.25)) continue;
      time += interval;
      periods += times;
    }
    if (periods > 0) period = time / periods;
  }
  return period;
}

run::UpdateRhythm update_of(const std::vector<double>& between_changes, double poll_s, std::size_t steps,
                            std::size_t fewest) {
  run::UpdateRhythm update;
  if (between_changes.size() < fewest) return update;
  if (between_changes.size() * 10 >= steps * 8) {
    update.found = "every reading";
    return update;
  }
  std::vector<double> sorted = between_changes;
  std::sort(sorted.begin(), sorted.end());
  const double period = refined(between_changes, densest(sorted), poll_s);
  if (!(period > 0)) return update;
  // A quarter of the intervals must agree with what was found; otherwise there is no rhythm.
  const auto agrees = [&](double interval) { return std::abs(interval - period) <= std::max(0.3 * period, poll_s); };
  const auto agreeing = std::count_if(sorted.begin(), sorted.end(), agrees);
  if (static_cast<std::size_t>(agreeing) * 4 < sorted.size()) return update;
  update.found = "found";
  update.period_s = period;
  return update;
}

/// Where several readings share a time stamp, the usual step from one stamp to the next; else 0.
double shared_stamp_s(const std::vector<double>& steps) {
  std::vector<double> stamps;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(stamps), [](double step) { return step > 0; });
  const bool shared = (steps.size() - stamps.size()) * 10 > steps.size();
  return shared ? median_of(std::move(stamps)).value_or(0) : 0;
}

template <class T>
ReadingRhythm rhythm(const run::Series<T>& series, ReadingRange range) {
  ReadingRhythm result;
  if (range.size() < 2) return result;
  std::vector<double> steps;
  steps.reserve(range.size());
  std::vector<double> between_changes;
  // A change lies between two readings: its middle is the best guess of when.
  std::optional<double> last_change_s;
  const std::int64_t zero = series.time_ns[range.first];
  const auto seconds = [&](std::size_t i) { return static_cast<double>(series.time_ns[i] - zero) * 1e-9; };
  for (std::size_t i = range.first + 1; i < range.last; ++i) {
    const double step = seconds(i) - seconds(i - 1);
    steps.push_back(step);
    if (series.value[i] == series.value[i - 1]) {
      ++result.stale;
      continue;
    }
    const double change_s = seconds(i) - step / 2;
    if (last_change_s && change_s > *last_change_s) between_changes.push_back(change_s - *last_change_s);
    last_change_s = change_s;
  }
  const std::size_t count = steps.size();
  const double span_s = seconds(range.last - 1);
  if (!(span_s > 0)) return result;
  const double stamp_s = shared_stamp_s(steps);
  result.poll_s = stamp_s > 0 ? span_s / static_cast<double>(count) : median_of(std::move(steps));
  constexpr std::size_t fewest = std::is_same_v<T, double> ? fewest_of_sensor : fewest_of_counter;
  result.update = update_of(between_changes, *result.poll_s, count, fewest);
  // Changes within one time stamp cannot be told apart: what is found may be the clock's.
  if (result.update.period_s.value_or(stamp_s) < 2 * stamp_s) result.update = {std::nullopt, "not found"};
  result.change_s = median_of(std::move(between_changes));
  return result;
}

}  // namespace

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double ReadingRhythm::resolution_s() const {
  if (update.period_s) return *update.period_s;
  const double poll = poll_s.value_or(usual_update_s);
  if (stale > 0 && change_s && *change_s > poll) return std::min(*change_s, std::max(poll, usual_update_s));
  return std::min(poll, usual_update_s);
}

double gap_threshold_s(std::optional<double> poll_s) { return std::max(3 * poll_s.value_or(0), 0.2); }

ReadingRhythm rhythm_of(const run::Series<double>& series, ReadingRange range) { return rhythm(series, range); }
ReadingRhythm rhythm_of(const run::Series<std::int64_t>& series, ReadingRange range) { return rhythm(series, range); }

}  // namespace kernwatt::attribution
