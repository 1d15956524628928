// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/time_point.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace kernwatt::app {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
/// Smaller numbers of seconds count from the trace's start: no GPU profile is three years long, and none was taken
/// before 1973.
constexpr std::int64_t earliest_epoch_s = 100'000'000;
constexpr std::size_t digits_of_epoch_ns = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error not_a_time(std::string_view text, std::string_view zero) {
  return {ErrorCode::invalid_argument,
          "'" + std::string(text) + "' is not a time; write seconds from " + std::string(zero) +
              " (1.5), seconds or nanoseconds since the epoch, or 2026-03-01T12:00:00Z",
          ""};
}

/// Takes digits off the front, between `least` and `most` of them.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t length = 0;
  while (length < text.size() && length < most && is_digit(text[length])) ++length;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + length, value);
  if (length < least || parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// The digits after a point as nanoseconds; digits beyond the ninth are dropped.
std::optional<std::int64_t> take_fraction_ns(std::string_view& text) {
  std::int64_t ns = 0;
  std::int64_t place = ns_per_s / 10;
  std::size_t length = 0;
  for (; length < text.size() && is_digit(text[length]); ++length, place /= 10) ns += (text[length] - '0') * place;
  text.remove_prefix(length);
  return length > 0 ? std::optional(ns) : std::nullopt;
}

/// Digits with an optional fraction, as nanoseconds.
std::optional<std::int64_t> take_seconds_ns(std::string_view& text) {
  const auto whole = take_number(text, 1, 18);
  if (!whole) return std::nullopt;
  std::int64_t fraction = 0;
  if (take(text, ".")) {
    const auto digits = take_fraction_ns(text);
    if (!digits) return std::nullopt;
    fraction = *digits;
  }
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(*whole, ns_per_s, &ns) || __builtin_add_overflow(ns, fraction, &ns)) return std::nullopt;
  return ns;
}

/// "Z", "+01:00", "-0530" as seconds east of Greenwich.
std::optional<std::int64_t> take_zone_s(std::string_view& text) {
  if (take(text, "Zz")) return 0;
  const bool west = text.starts_with('-');
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_number(text, 2, 2);
  take(text, ":");
  const auto minutes = take_number(text, 2, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

std::optional<std::int64_t> civil_seconds(std::string_view& text) {
  const auto year = take_number(text, 4, 4);
  const bool first_dash = take(text, "-");
  const auto month = take_number(text, 2, 2);
  const bool second_dash = take(text, "-");
  const auto day = take_number(text, 2, 2);
  const bool separated = take(text, "Tt ");
  const auto hour = take_number(text, 2, 2);
  const bool first_colon = take(text, ":");
  const auto minute = take_number(text, 2, 2);
  const bool second_colon = take(text, ":");
  const auto second = take_number(text, 2, 2);
  if (!year || !month || !day || !hour || !minute || !second || !first_dash || !second_dash || !separated ||
      !first_colon || !second_colon || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 + *hour * 3600 + *minute * 60 + *second;
}

Result<ParsedTime> parse_rfc3339(std::string_view text, std::string_view zero) {
  std::string_view rest = text;
  const auto seconds = civil_seconds(rest);
  if (!seconds) return not_a_time(text, zero);
  std::int64_t fraction = 0;
  if (take(rest, ".,")) {
    const auto digits = take_fraction_ns(rest);
    if (!digits) return not_a_time(text, zero);
    fraction = *digits;
  }
  if (rest.empty())
    return Error{ErrorCode::invalid_argument,
                 "'" + std::string(text) + "' has no time zone; add Z for UTC, or an offset such as +01:00", ""};
  const auto zone = take_zone_s(rest);
  std::int64_t ns = 0;
  if (!zone || !rest.empty() || __builtin_mul_overflow(*seconds - *zone, ns_per_s, &ns) ||
      __builtin_add_overflow(ns, fraction, &ns))
    return not_a_time(text, zero);
  return ParsedTime{false, ns};
}

}  // namespace

Result<ParsedTime> parse_time(std::string_view text, std::string_view zero) {
  if (text.size() > 4 && text[4] == '-') return parse_rfc3339(text, zero);
  std::string_view rest = text;
  if (text.find_first_not_of("0123456789") == std::string_view::npos && text.size() >= digits_of_epoch_ns) {
    const auto ns = take_number(rest, digits_of_epoch_ns, 19);
    if (!ns || !rest.empty()) return not_a_time(text, zero);
    return ParsedTime{false, *ns};
  }
  const auto ns = take_seconds_ns(rest);
  const bool unit = take(rest, "s");
  if (!ns || !rest.empty()) return not_a_time(text, zero);
  return ParsedTime{unit || *ns < earliest_epoch_s * ns_per_s, *ns};
}

Result<std::int64_t> parse_seconds_ns(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  take(rest, "+-");
  const auto ns = take_seconds_ns(rest);
  take(rest, "s");
  if (!ns || !rest.empty())
    return Error{ErrorCode::invalid_argument, "'" + std::string(text) + "' is not a number of seconds, such as -0.25",
                 ""};
  return negative ? -*ns : *ns;
}

}  // namespace kernwatt::app
