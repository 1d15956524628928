// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernwatt/attribution/power_log/counter_track.hpp"
#include "kernwatt/attribution/power_log/power_track.hpp"
#include "kernwatt/run/power_report.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// Which of counter and integral stands for the energy of a GPU.
enum class Believed { none, counter, power };

struct Belief {
  Believed believed = Believed::none;
  bool sensor_dead = false;
  std::optional<double> ratio;  ///< counter over integral, where both have readings
  bool disagree = false;        ///< by more than the two usually do
  std::string why;              ///< one sentence
};

/// Decides over all readings, so that every window of a GPU uses the same source.
Belief belief_of(const CounterTrack& counter, const PowerTrack& power);

/// How an integral treats the ends of its window.
enum class Ends {
  interpolated,  ///< any moment: straight lines between readings
  on_steps       ///< half way between readings: each reading holds up to there
};

/// Both energies over [from, to] and the believed one with its 95 % interval.
run::PowerEnergy energy_of_window(const CounterTrack& counter, const PowerTrack& power, const Belief& belief,
                                  std::int64_t from_ns, std::int64_t to_ns, Ends ends);

}  // namespace kernwatt::attribution
