// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/run/power_log.hpp"

/// Sums and statistics over the series of a power log. Pure.
namespace kernwatt::readers {

/// "GPU 3", "GPU-8f3…", "00000000:1B:00.0"; "the GPU" when the log does not say which.
std::string label_of(const run::GpuIdentity& gpu);
/// The best name alone: UUID, bus address, index, name; empty when the log has none.
std::string name_of(const run::GpuIdentity& gpu);

/// One of a GPU's power series, with the words for it.
struct PowerSensor {
  const run::Series<double>* series = nullptr;  ///< null: the log has no power for this GPU
  std::string_view name;                        ///< "power.draw"
};
/// The sensor whose integral stands for the log: the first of draw, instant, average and samples that has at least
/// nine tenths as many readings as the fullest.
PowerSensor sensor_for_energy(const run::GpuPower& gpu);

/// Trapezoid integral in J over [from, to], values at the ends interpolated; the whole series without bounds.
double integrate_j(const run::Series<double>& power_w);
double integrate_j(const run::Series<double>& power_w, std::int64_t from_ns, std::int64_t to_ns);

std::optional<double> median(std::vector<double> values);

/// Times between readings, and between changes of value, in s.
struct Rhythm {
  std::optional<double> poll_s;    ///< median step
  std::optional<double> change_s;  ///< median time from one change of value to the next
  double longest_gap_s = 0;
  std::uint64_t changes = 0;
};
Rhythm rhythm_of(const run::Series<double>& series);
Rhythm rhythm_of(const run::Series<std::int64_t>& series);

/// What the energy counter of one GPU says.
struct CounterFacts {
  double total_j = 0;            ///< monotone runs, summed
  std::uint64_t resets = 0;      ///< steps backwards
  std::uint64_t leaps = 0;       ///< steps forward that no board can make; not in total_j
  double rising_j = 0;           ///< all steps forward, leaps too
  double rising_by_power_j = 0;  ///< the power's integral over these steps
  double uncovered_s = 0;        ///< time across resets and leaps
  double uncovered_by_power_j = 0;
  double span_s = 0;
  double by_power_j = 0;  ///< the power's integral over the counter's span; 0 without power
  bool has_power = false;
  bool frozen = false;           ///< never moves although energy was used
  std::optional<double> step_j;  ///< median size of a step
};
/// Precondition: at least two readings.
CounterFacts counter_facts(const run::GpuPower& gpu, const PowerSensor& sensor);

/// The power of ten (…, -6, -3, 3, 6) by which the counter is off against the power, if it is off by one; else 0.
/// Without power: 3 when it counts more than any board can draw, and a thousandth of that is what one does draw.
int decades_off(const CounterFacts& facts);

/// No board draws more; what claims to is an error of reading.
inline constexpr double impossible_w = 10'000;

}  // namespace kernwatt::readers
