// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "kernwatt/run/power_log.hpp"

namespace kernwatt::attribution {

inline constexpr std::int64_t log_start_ns = 1'772'366'400'000'000'000;

struct SimulatedMeter {
  double length_s = 60;
  double poll_s = 0.01;
  double update_s = 0.1;
  double lag_s = 0;  ///< the power reading is a mean over the past: half of its window
  double noise_w = 2;
  bool counter = true;
};

/// A log of a board whose power is `watts(t)`: a sensor and a counter that both change once in update_s.
inline run::PowerLog simulated_log(const SimulatedMeter& meter, const std::function<double(double)>& watts) {
  run::PowerLog log;
  log.file = "simulated.csv";
  log.format = "power-csv";
  run::GpuPower& gpu = log.gpus.emplace_back();
  gpu.gpu.index = 0;
  std::mt19937 engine(5);
  std::normal_distribution<double> noise(0, meter.noise_w);
  const double step_s = 0.001;
  double energy_j = 0;
  double mean_w = watts(0);
  double shown_w = mean_w;
  double counted_j = 0;
  double next_update_s = meter.update_s;
  double next_poll_s = 0;
  run::Series<double>& readings = meter.lag_s > 0 ? gpu.power_draw_w : gpu.power_instant_w;
  const auto steps = static_cast<std::int64_t>(meter.length_s / step_s);
  for (std::int64_t i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) * step_s;
    const double now_w = watts(t);
    energy_j += now_w * step_s;
    mean_w += meter.lag_s > 0 ? (now_w - mean_w) * step_s / meter.lag_s : now_w - mean_w;
    if (t >= next_update_s) {
      next_update_s += meter.update_s;
      shown_w = mean_w + noise(engine);
      counted_j = energy_j;
    }
    if (t < next_poll_s) continue;
    next_poll_s += meter.poll_s;
    const std::int64_t ns = log_start_ns + i * 1'000'000;
    readings.push(ns, std::round(shown_w * 100) / 100);
    if (meter.counter) gpu.energy_mj.push(ns, 5'000'000 + std::llround(counted_j * 1e3));
    ++gpu.rows;
  }
  return log;
}

/// One reading each second.
inline run::PowerLog constant_log(double watts, int seconds, int gpus) {
  run::PowerLog log;
  for (int index = 0; index < gpus; ++index) {
    run::GpuPower& gpu = log.gpus.emplace_back();
    gpu.gpu.index = index;
    for (int t = 0; t <= seconds; ++t) gpu.power_draw_w.push(log_start_ns + t * 1'000'000'000LL, watts);
    gpu.rows = static_cast<std::uint64_t>(seconds) + 1;
  }
  return log;
}

}  // namespace kernwatt::attribution
