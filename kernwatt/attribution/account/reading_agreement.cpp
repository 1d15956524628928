// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/reading_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kernwatt::attribution {
namespace {

/// Readings to look at: more tell no more.
constexpr std::size_t most_looked_at = 2000;

struct Common {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
};

template <class T>
std::optional<Common> common_time(const run::Series<T>& a, const run::Series<T>& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const Common c{std::max(a.time_ns.front(), b.time_ns.front()), std::min(a.time_ns.back(), b.time_ns.back())};
  return c.from_ns <= c.to_ns ? std::optional(c) : std::nullopt;
}

/// Value at a time inside the series, on the line between its neighbours.
template <class T>
double at(const run::Series<T>& series, std::int64_t ns) {
  const auto next = std::lower_bound(series.time_ns.begin(), series.time_ns.end(), ns);
  const auto i = static_cast<std::size_t>(next - series.time_ns.begin());
  if (i == series.size()) return static_cast<double>(series.value.back());
  if (i == 0 || series.time_ns[i] == ns) return static_cast<double>(series.value[i]);
  const auto before = static_cast<double>(series.value[i - 1]);
  const double part =
      static_cast<double>(ns - series.time_ns[i - 1]) / static_cast<double>(series.time_ns[i] - series.time_ns[i - 1]);
  return before + part * (static_cast<double>(series.value[i]) - before);
}

/// Calls use(a, b) for readings of `a` and the value of `b` at their time.
template <class T, class Use>
void side_by_side(const run::Series<T>& a, const run::Series<T>& b, const Common& common, const Use& use) {
  const auto first = std::lower_bound(a.time_ns.begin(), a.time_ns.end(), common.from_ns);
  const auto last = std::upper_bound(first, a.time_ns.end(), common.to_ns);
  const auto count = static_cast<std::size_t>(last - first);
  const std::size_t step = std::max<std::size_t>(1, count / most_looked_at);
  const auto begin = static_cast<std::size_t>(first - a.time_ns.begin());
  for (std::size_t i = begin; i < begin + count; i += step) use(static_cast<double>(a.value[i]), at(b, a.time_ns[i]));
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A counter stands at one value at one time; clocks that are some seconds apart must not make it another counter.
bool counters_differ(const run::Series<std::int64_t>& a, const run::Series<std::int64_t>& b) {
  constexpr double most_mj = 5e6;  // 5 s at 1 kW
  const auto common = common_time(a, b);
  if (!common) return false;
  std::vector<double> off;
  side_by_side(a, b, *common, [&](double x, double y) { off.push_back(std::abs(x - y)); });
  return !off.empty() && median(off) > most_mj;
}

/// Whether the mean of the differences is not 0, judged by the scatter of the means of stretches: neighbours in time
/// are not independent.
bool has_offset(const std::vector<double>& difference, double scale) {
  constexpr std::size_t stretches = 12;
  constexpr double least = 0.005;  // of the power
  constexpr double sure = 4;       // standard errors
  if (difference.size() < 3 * stretches) return false;
  double sum = 0;
  double square = 0;
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t from = s * difference.size() / stretches;
    const std::size_t to = (s + 1) * difference.size() / stretches;
    double mean = 0;
    for (std::size_t i = from; i < to; ++i) mean += difference[i] / static_cast<double>(to - from);
    sum += mean, square += mean * mean;
  }
  const double mean = sum / stretches;
  const double variance = std::max(0.0, square / stretches - mean * mean) / (stretches - 1);
  return std::abs(mean) > least * scale && std::abs(mean) > sure * std::sqrt(variance);
}

/// Mean step from one reading to the next: what two polls of one sensor at different moments may differ by.
double mean_step(const run::Series<double>& series, const Common& common) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series.time_ns[i - 1] < common.from_ns || series.time_ns[i] > common.to_ns) continue;
    sum += std::abs(series.value[i] - series.value[i - 1]);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// One sensor read twice differs by no more than it changes between two polls. GPUs that do the same work draw nearly
/// the same, but for a lasting offset.
bool powers_differ(const run::Series<double>& a, const run::Series<double>& b) {
  constexpr double rounding = 0.02;  // of the power
  constexpr std::size_t enough = 3;
  const auto common = common_time(a, b);
  if (!common) return false;
  double scale = 0;
  double apart = 0;
  std::vector<double> difference;
  side_by_side(a, b, *common, [&](double x, double y) {
    difference.push_back(x - y);
    apart += std::abs(x - y);
    scale += std::max(std::abs(x), std::abs(y));
  });
  if (difference.size() < enough) return false;
  const auto count = static_cast<double>(difference.size());
  const double usual = std::max(mean_step(a, *common), mean_step(b, *common));
  if (apart / count > 2 * usual + rounding * scale / count) return true;
  return has_offset(difference, scale / count);
}

}  // namespace

bool overlap(const run::GpuPower& a, const run::GpuPower& b) {
  return common_time(a.energy_mj, b.energy_mj) || common_time(a.power_draw_w, b.power_draw_w) ||
         common_time(a.power_instant_w, b.power_instant_w) || common_time(a.power_average_w, b.power_average_w) ||
         common_time(a.power_samples_w, b.power_samples_w);
}

bool contradicts(const run::GpuPower& a, const run::GpuPower& b) {
  if (common_time(a.energy_mj, b.energy_mj)) return counters_differ(a.energy_mj, b.energy_mj);
  return powers_differ(a.power_draw_w, b.power_draw_w) || powers_differ(a.power_instant_w, b.power_instant_w) ||
         powers_differ(a.power_average_w, b.power_average_w) || powers_differ(a.power_samples_w, b.power_samples_w);
}

}  // namespace kernwatt::attribution
