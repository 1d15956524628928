// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

/// The time cells of power logs.
namespace kernwatt::readers {

enum class TimeKind : std::uint8_t {
  absolute,  ///< an epoch count, or a civil time with its zone
  civil,     ///< a civil time without a zone, read as if it were UTC
  relative   ///< a count or a clock time from an unknown zero
};

/// In which order a date writes its day and month, as far as its numbers tell.
enum class DayOrder : std::uint8_t {
  clear,        ///< year first, or a name
  day_first,    ///< the first number is above 12
  month_first,  ///< the second number is above 12
  undecidable   ///< both are 12 or less; read as day first
};

struct Timestamp {
  std::int64_t ns = 0;
  TimeKind kind = TimeKind::absolute;
  DayOrder day_order = DayOrder::clear;
};

/// What a count in a time column counts.
enum class TimeUnit : std::uint8_t { guess, minutes, seconds, milliseconds, microseconds, nanoseconds };

/// Reads "2026/04/25 16:06:06.780", ISO 8601 with and without zone, "25-04-2026 16:06:06", "Wed Apr  9 10:26:15 2025",
/// "Mon, 30 Nov 2026 09:13:20 +0000", "20261130T091320Z", and counts since the epoch (seconds to nanoseconds, told
/// apart by size when `unit` is guess; a small count is relative). Exact to the nanosecond. Empty when the text is no
/// time.
std::optional<Timestamp> parse_timestamp(std::string_view text, TimeUnit unit);

/// parse_timestamp for times that mostly lie on one day, "2026/04/25 16:06:06.780": the date is read once.
class TimestampReader {
 public:
  std::optional<Timestamp> read(std::string_view text, TimeUnit unit);

 private:
  std::array<char, 11> date_{};  // with the sign behind it
  std::int64_t midnight_ns_ = 0;
  DayOrder order_ = DayOrder::clear;
  bool known_ = false;
};

/// The same instant with day and month exchanged; unchanged where the exchange makes no date.
std::int64_t exchange_day_and_month(std::int64_t ns);

}  // namespace kernwatt::readers
