// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// Readings in a row that are all exactly one value.
struct StuckStretch {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  double watts = 0;
  std::size_t readings = 0;
  double energy_j = 0;  ///< that rests on them
};

/// The longest stretch of 60 s and 30 readings or more in which a sensor, that varies all the time elsewhere in the
/// log, stands still: one that died on the way. Whole watts and the log's lowest level (a board that idles) may stand,
/// and so may what the energy counter confirms.
std::optional<StuckStretch> stuck_stretch(const run::Series<double>& power_w,
                                          const run::Series<std::int64_t>& energy_mj);

}  // namespace kernwatt::readers
