// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernwatt::readers {

namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

template <class T>
Rhythm rhythm(const run::Series<T>& series) {
  Rhythm result;
  std::vector<double> steps;
  std::vector<double> between_changes;
  std::optional<std::int64_t> last_change;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double step = seconds(series.time_ns[i] - series.time_ns[i - 1]);
    steps.push_back(step);
    result.longest_gap_s = std::max(result.longest_gap_s, step);
    if (series.value[i] == series.value[i - 1]) continue;
    ++result.changes;
    if (last_change) between_changes.push_back(seconds(series.time_ns[i] - *last_change));
    last_change = series.time_ns[i];
  }
  result.poll_s = median(std::move(steps));
  result.change_s = median(std::move(between_changes));
  return result;
}

// Updates come each 20 to 200 ms, so between two polls a counter may show up to that much of a board's energy.
bool is_leap(std::int64_t step_mj, double step_s) {
  return static_cast<double>(step_mj) * 1e-3 > impossible_w * (step_s + 0.2);
}

}  // namespace

std::string name_of(const run::GpuIdentity& gpu) {
  if (!gpu.uuid.empty()) return gpu.uuid;
  if (!gpu.pci_bus_id.empty()) return gpu.pci_bus_id;
  if (gpu.index) return (gpu.host.empty() ? "" : gpu.host + ":") + std::to_string(*gpu.index);
  return gpu.name;
}

std::string label_of(const run::GpuIdentity& gpu) {
  if (gpu.index) return "GPU " + std::to_string(*gpu.index) + (gpu.host.empty() ? "" : " of " + gpu.host);
  const std::string name = name_of(gpu);
  return name.empty() ? "the GPU" : name;
}

PowerSensor sensor_for_energy(const run::GpuPower& gpu) {
  const std::array<PowerSensor, 4> sensors{PowerSensor{&gpu.power_draw_w, "power.draw"},
                                           PowerSensor{&gpu.power_instant_w, "power.draw.instant"},
                                           PowerSensor{&gpu.power_average_w, "power.draw.average"},
                                           PowerSensor{&gpu.power_samples_w, "the driver's 20 ms samples"}};
  std::size_t most = 0;
  for (const PowerSensor& sensor : sensors) most = std::max(most, sensor.series->size());
  if (most == 0) return {};
  const auto full = [most](const PowerSensor& s) { return s.series->size() * 10 >= most * 9; };
  return *std::find_if(sensors.begin(), sensors.end(), full);
}

double integrate_j(const run::Series<double>& power_w) {
  double sum = 0;
  for (std::size_t i = 1; i < power_w.size(); ++i) {
    sum += (power_w.value[i] + power_w.value[i - 1]) / 2 * seconds(power_w.time_ns[i] - power_w.time_ns[i - 1]);
  }
  return sum;
}

double integrate_j(const run::Series<double>& power_w, std::int64_t from_ns, std::int64_t to_ns) {
  double sum = 0;
  const auto begin = power_w.time_ns.begin();
  const auto first = std::upper_bound(begin, power_w.time_ns.end(), from_ns);
  for (auto i = std::max<std::size_t>(static_cast<std::size_t>(first - begin), 1); i < power_w.size(); ++i) {
    const std::int64_t t0 = power_w.time_ns[i - 1];
    const std::int64_t t1 = power_w.time_ns[i];
    if (t0 >= to_ns) break;
    const std::int64_t a = std::max(t0, from_ns);
    const std::int64_t b = std::min(t1, to_ns);
    if (a >= b) continue;
    const double slope = (power_w.value[i] - power_w.value[i - 1]) / seconds(t1 - t0);
    const double at_a = power_w.value[i - 1] + slope * seconds(a - t0);
    const double at_b = power_w.value[i - 1] + slope * seconds(b - t0);
    sum += (at_a + at_b) / 2 * seconds(b - a);
  }
  return sum;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Rhythm rhythm_of(const run::Series<double>& series) { return rhythm(series); }
Rhythm rhythm_of(const run::Series<std::int64_t>& series) { return rhythm(series); }

CounterFacts counter_facts(const run::GpuPower& gpu, const PowerSensor& sensor) {
  const run::Series<std::int64_t>& counter = gpu.energy_mj;
  CounterFacts facts;
  std::int64_t total_mj = 0;
  std::vector<double> steps_j;
  facts.span_s = seconds(counter.time_ns.back() - counter.time_ns.front());
  facts.has_power = sensor.series != nullptr && sensor.series->size() >= 2;
  for (std::size_t i = 1; i < counter.size(); ++i) {
    const std::int64_t from = counter.time_ns[i - 1];
    const std::int64_t to = counter.time_ns[i];
    const std::int64_t step = counter.value[i] - counter.value[i - 1];
    const bool leap = is_leap(step, seconds(to - from));
    if (step >= 0) {
      facts.rising_j += static_cast<double>(step) * 1e-3;
      if (facts.has_power) facts.rising_by_power_j += integrate_j(*sensor.series, from, to);
    }
    if (step >= 0 && !leap) {
      total_mj += step;
      if (step > 0) steps_j.push_back(static_cast<double>(step) * 1e-3);
      continue;
    }
    facts.resets += step < 0 ? 1U : 0U;
    facts.leaps += leap ? 1U : 0U;
    facts.uncovered_s += seconds(to - from);
    if (facts.has_power) facts.uncovered_by_power_j += integrate_j(*sensor.series, from, to);
  }
  facts.total_j = static_cast<double>(total_mj) * 1e-3;
  facts.step_j = median(std::move(steps_j));
  if (facts.has_power) {
    facts.by_power_j = integrate_j(*sensor.series, counter.time_ns.front(), counter.time_ns.back());
  }
  const bool moved = total_mj > 0 || facts.resets + facts.leaps > 0;
  // An update may be a second away and an idle board draws a few watts: less than this proves nothing.
  const bool used = facts.has_power ? facts.by_power_j > 20 && facts.span_s >= 1 : facts.span_s >= 10;
  facts.frozen = !moved && used;
  return facts;
}

int decades_off(const CounterFacts& facts) {
  if (facts.rising_j <= 0) return 0;
  if (!facts.has_power) {
    const double mean_w = facts.span_s > 0 ? facts.rising_j / facts.span_s : 0;
    return mean_w > impossible_w && mean_w <= 1e3 * impossible_w && facts.span_s >= 1 && facts.resets == 0 ? 3 : 0;
  }
  if (facts.rising_by_power_j <= 20) return 0;
  const double decades = std::log10(facts.rising_j / facts.rising_by_power_j);
  const int nearest = static_cast<int>(std::lround(decades / 3)) * 3;
  // Sensors of one board agree within a few per cent, seldom worse than a quarter; a wrong unit is off by a thousand.
  return nearest != 0 && std::abs(decades - nearest) < 0.1 ? nearest : 0;
}

}  // namespace kernwatt::readers
