// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/run/power_log.hpp"

/// An energy counter moves in steps on a regular grid of the device, and a poll sees a step only later. Each pair of
/// polls with different values brackets one step; many brackets together fix the grid far finer than the polls do.
///
///   polls   |    |    |    |    |       step is inside (lo, hi]
///   grid       ^         ^         ^    the period and phase that lie in the most brackets
namespace kernwatt::attribution {

struct CounterEdges {
  std::vector<double> time_ns;          ///< relative to the origin that was asked for; ascending
  std::vector<std::int64_t> energy_mj;  ///< the counter's value from this step on
  double period_ns = 0;                 ///< 0 when no grid fits: then the times are the brackets' middles
  double uncertainty_ns = 0;            ///< half-width of a step's time
  std::uint64_t off_grid = 0;           ///< steps outside their bracket by more than the tolerance (left out)
};

/// Finds the steps of a counter. Counter values that fall, or that jump by more than `max_power_w` allows, are left
/// out. Empty edges when the counter moves fewer than twice. Pure, any thread.
CounterEdges find_counter_edges(const run::Series<std::int64_t>& energy_mj, std::int64_t origin_ns,
                                double max_power_w = 20'000.0);

}  // namespace kernwatt::attribution
