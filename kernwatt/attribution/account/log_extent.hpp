// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernwatt/attribution/account/work_track.hpp"
#include "kernwatt/run/power_log.hpp"

/// From when to when a log has readings of power or energy.
namespace kernwatt::attribution {

struct Extent {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

/// Empty without such readings.
std::optional<Extent> extent_of(const run::GpuPower& power);
std::optional<Extent> extent_of(const run::PowerLog& log);

/// Times before 1973 count from some zero of their own.
bool is_relative(const Extent& extent);

/// Part of the work's stretch that the log covers when `shift_ns` is added to its times.
double covered(const WorkTrack& work, const Extent& log, std::int64_t shift_ns);

/// Adds `ns` to every time.
void shift_times(run::GpuPower& power, std::int64_t ns);
void shift_times(run::PowerLog& log, std::int64_t ns);

}  // namespace kernwatt::attribution
