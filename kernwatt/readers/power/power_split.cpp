// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_split.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernwatt/readers/power/power_math.hpp"
#include "kernwatt/readers/power/row_positions.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t fewest_rows = 6;

/// Where bursts begin in the sorted times of the rows.
struct Bursts {
  std::vector<std::int64_t> times;
  std::vector<std::size_t> begins;
  std::size_t size = 0;  // rows of each

  /// The place of a row in its burst.
  std::size_t place_of(std::int64_t ns) const {
    const auto at = std::lower_bound(times.begin(), times.end(), ns);
    const auto row = static_cast<std::size_t>(at - times.begin());
    const auto after = std::upper_bound(begins.begin(), begins.end(), row);
    return row - *std::prev(after);
  }
};

std::vector<std::int64_t> row_times(const GpuRows& rows) {
  const PowerSensor sensor = sensor_for_energy(rows.power);
  std::vector<std::int64_t> times = sensor.series != nullptr ? sensor.series->time_ns : rows.power.energy_mj.time_ns;
  times.insert(times.end(), rows.missing_power_ns.begin(), rows.missing_power_ns.end());
  std::sort(times.begin(), times.end());
  return times;
}

std::optional<Bursts> find_bursts(const GpuRows& rows) {
  Bursts bursts;
  bursts.times = row_times(rows);
  const auto& times = bursts.times;
  if (times.size() != rows.power.rows || times.size() < fewest_rows) return std::nullopt;
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  if (std::find(gaps.begin(), gaps.end(), 0) != gaps.end()) return std::nullopt;
  // Of n rows a burst one gap in n is a pause: up to 16 GPUs, the 94th percentile is one.
  std::vector<std::int64_t> sorted = gaps;
  const auto pause = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 94 / 100);
  std::nth_element(sorted.begin(), pause, sorted.end());
  const std::int64_t threshold = *pause / 4;
  bursts.begins.push_back(0);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i] > threshold) bursts.begins.push_back(i + 1);
  }
  if (bursts.begins.size() < 3) return std::nullopt;
  bursts.size = bursts.begins[1];
  for (std::size_t i = 2; i < bursts.begins.size(); ++i) {
    if (bursts.begins[i] - bursts.begins[i - 1] != bursts.size) return std::nullopt;
  }
  const bool last_fits = times.size() - bursts.begins.back() <= bursts.size;
  return bursts.size >= 2 && last_fits ? std::optional<Bursts>(std::move(bursts)) : std::nullopt;
}

// Polls of one GPU in quick succession repeat its reading; different GPUs differ.
bool readings_differ(const GpuRows& rows, const Bursts& bursts) {
  const PowerSensor sensor = sensor_for_energy(rows.power);
  if (sensor.series == nullptr) return true;
  const auto& series = *sensor.series;
  std::size_t differ = 0;
  for (std::size_t b = 0; b + 1 < bursts.begins.size(); ++b) {
    const std::int64_t from = bursts.times[bursts.begins[b]];
    const std::int64_t to = bursts.times[bursts.begins[b + 1]];
    const auto first = std::lower_bound(series.time_ns.begin(), series.time_ns.end(), from) - series.time_ns.begin();
    const auto last = std::lower_bound(series.time_ns.begin(), series.time_ns.end(), to) - series.time_ns.begin();
    const auto begin = series.value.begin();
    if (std::adjacent_find(begin + first, begin + last, std::not_equal_to<>()) != begin + last) ++differ;
  }
  return differ * 10 >= (bursts.begins.size() - 1) * 8;
}

template <class T>
void deal(const run::Series<T>& from, const Bursts& bursts, std::vector<GpuRows>& gpus,
          run::Series<T> run::GpuPower::*member) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    (gpus[bursts.place_of(from.time_ns[i])].power.*member).push(from.time_ns[i], from.value[i]);
  }
}

}  // namespace

std::vector<GpuRows> split_bursts(GpuRows rows, bool named) {
  std::vector<GpuRows> gpus;
  const auto bursts = rows.backward_steps == 0 ? find_bursts(rows) : std::nullopt;
  if (!bursts || !readings_differ(rows, *bursts)) {
    gpus.push_back(std::move(rows));
    return gpus;
  }
  gpus.resize(bursts->size);
  const run::GpuPower& all = rows.power;
  deal(all.power_draw_w, *bursts, gpus, &run::GpuPower::power_draw_w);
  deal(all.power_instant_w, *bursts, gpus, &run::GpuPower::power_instant_w);
  deal(all.power_average_w, *bursts, gpus, &run::GpuPower::power_average_w);
  deal(all.power_samples_w, *bursts, gpus, &run::GpuPower::power_samples_w);
  deal(all.energy_mj, *bursts, gpus, &run::GpuPower::energy_mj);
  deal(all.sm_mhz, *bursts, gpus, &run::GpuPower::sm_mhz);
  deal(all.mem_mhz, *bursts, gpus, &run::GpuPower::mem_mhz);
  deal(all.temperature_c, *bursts, gpus, &run::GpuPower::temperature_c);
  deal(all.event_reasons, *bursts, gpus, &run::GpuPower::event_reasons);
  for (const std::int64_t ns : bursts->times) ++gpus[bursts->place_of(ns)].power.rows;
  for (const std::int64_t ns : rows.missing_power_ns) {
    GpuRows& gpu = gpus[bursts->place_of(ns)];
    ++gpu.power.missing_power;
    ++gpu.missing_tokens["no value"];
    gpu.missing_power_ns.push_back(ns);
  }
  for (GpuRows& gpu : gpus) gpu.power.power_limit_w = all.power_limit_w;
  // A number that names them all may be right: only the readings prove it wrong.
  if (named && !are_different_gpus(gpus, false)) {
    gpus.clear();
    gpus.push_back(std::move(rows));
    return gpus;
  }
  for (GpuRows& gpu : gpus) gpu.power.gpu = all.gpu;
  return gpus;
}

}  // namespace kernwatt::readers
