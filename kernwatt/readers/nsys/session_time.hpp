// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/readers/nsys/nsys_database.hpp"

namespace kernwatt::readers::nsys {

/// How the times of the file become CLOCK_REALTIME.
struct SessionTime {
  std::optional<std::int64_t> base_ns;  ///< to be added to each time; empty when it is not known, or not needed
  std::string how;                      ///< a sentence; empty when the file has no absolute time
  Severity severity = Severity::info;
};

/// First and last time of what ran on the GPU, as in the file.
struct TimeSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Event times count from the start of the session, whose UTC time TARGET_INFO_SESSION_START_TIME has; ANALYSIS_DETAILS
/// counts by the system's clock, so it decides only where the events do too. Files exported with --ts-normalize have
/// UTC times; what --ts-shift added is taken off again.
SessionTime find_session_time(NsysDatabase& database, const TimeSpan& device);

/// "2026-05-24T13:40:14", with 'T' or a blank and an optional fraction, as nanoseconds since the epoch in UTC.
std::optional<std::int64_t> parse_utc(std::string_view text);

}  // namespace kernwatt::readers::nsys
