// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernwatt/run/power_log.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// Consecutive readings as one: no peak and no dip is lost.
struct ReadingBucket {
  std::int64_t time_ns = 0;  ///< of the first reading
  double low = 0;
  double high = 0;
};

/// Each bucket holds this many readings (the last may hold fewer): 1 as long as there are at most `most`.
std::size_t readings_per_bucket(std::size_t readings, std::size_t most);

/// Values that are not finite are left out.
std::vector<ReadingBucket> reading_buckets(const run::Series<double>& series, std::size_t per_bucket);

}  // namespace kernwatt::report
