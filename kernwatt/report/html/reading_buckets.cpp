// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/reading_buckets.hpp"

#include <algorithm>
#include <cmath>

namespace kernwatt::report {

std::size_t readings_per_bucket(std::size_t readings, std::size_t most) {
  if (readings <= most || most == 0) return 1;
  return (readings + most - 1) / most;
}

std::vector<ReadingBucket> reading_buckets(const run::Series<double>& series, std::size_t per_bucket) {
  std::vector<ReadingBucket> buckets;
  buckets.reserve(series.size() / per_bucket + 1);
  std::size_t held = per_bucket;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double value = series.value[i];
    if (!std::isfinite(value)) continue;
    if (held == per_bucket) {
      buckets.push_back({series.time_ns[i], value, value});
      held = 0;
    }
    ReadingBucket& bucket = buckets.back();
    bucket.low = std::min(bucket.low, value);
    bucket.high = std::max(bucket.high, value);
    ++held;
  }
  return buckets;
}

}  // namespace kernwatt::report
