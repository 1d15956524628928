// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "kernwatt/core/result.hpp"

namespace kernwatt::app {

/// A moment as a user writes it.
struct ParsedTime {
  bool relative = false;  ///< ns counts from the trace's start; else from the epoch
  std::int64_t ns = 0;
};

/// "1.5" or "1.5s": seconds from the trace's start; "1772366400" or "1772366400.25": seconds since the epoch;
/// 16 digits and more: nanoseconds since the epoch; "2026-03-01T12:00:00.5Z", "… 12:00:00+01:00": RFC 3339. Digits are
/// kept exactly, down to the nanosecond. Errors: invalid_argument; a civil time without a zone is one.
/// `zero`: what relative times count from, for the message.
Result<ParsedTime> parse_time(std::string_view text, std::string_view zero = "the trace's start");

/// "0.25", "+0.25", "-3600": seconds, exact to the nanosecond. Errors: invalid_argument.
Result<std::int64_t> parse_seconds_ns(std::string_view text);

}  // namespace kernwatt::app
