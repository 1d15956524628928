// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "kernwatt/attribution/power/timeline.hpp"
#include "kernwatt/run/power_log.hpp"

/// The core clock, bin by bin. NVML reads it ten times a second, a power limiter moves it within milliseconds; but a
/// compute-bound kernel takes longer when the clock is lower, so launch durations show the steps in between.
///
///   ln(duration / shortest) = -s_k * g(t) + noise     g = ln(f / f_max) <= 0,  0 <= s_k <= 1
///
/// g is a random walk, observed through the durations and anchored to the NVML readings; s_k (how clock-bound a class
/// is) has a prior by kernel kind. Both are estimated in turn (expectation maximisation with a Kalman smoother).
namespace kernwatt::attribution {

struct ClockTrack {
  std::vector<float> log_ratio;           ///< g of each bin of the timeline; all 0 when nothing is known
  std::vector<double> clock_sensitivity;  ///< s_k of each kernel class
  std::optional<double> reference_mhz;    ///< f_max: the highest clock that was read
  bool from_durations = false;            ///< false: readings alone, or nothing
  double nvml_delay_s = 0;                ///< age of a clock reading, fitted
  double nvml_mismatch = 0;               ///< mean |difference| of g between track and readings
};

ClockTrack track_clock(const run::Trace& trace, const Timeline& timeline, const ProgramStructure& structure,
                       const run::Series<double>& sm_mhz);

}  // namespace kernwatt::attribution
