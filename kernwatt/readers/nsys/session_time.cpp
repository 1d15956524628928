// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/session_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers::nsys {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t epoch_like_ns = 900'000'000 * second;  // 1998: no session lasts that long

struct SessionStart {
  std::optional<std::int64_t> utc_ns;
  std::optional<std::int64_t> utc_from_text_ns;
  std::optional<std::int64_t> system_clock_ns;
};

struct ExportSettings {
  bool normalized = false;
  std::int64_t shift_ns = 0;
};

SessionStart read_session_start(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("utcEpochNs"), std::string_view("utcTime"),
                               std::string_view("systemClockNs")};
  TableScan scan(database, database.find("TARGET_INFO_SESSION_START_TIME"), columns);
  SessionStart start;
  if (!scan.next()) return start;
  start.utc_ns = scan.integer(0);
  if (start.utc_ns && *start.utc_ns < epoch_like_ns) start.utc_ns.reset();
  if (const auto text = scan.text(1)) start.utc_from_text_ns = parse_utc(*text);
  start.system_clock_ns = scan.integer(2);
  return start;
}

ExportSettings read_export_settings(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("name"), std::string_view("value")};
  TableScan scan(database, database.find("META_DATA_EXPORT"), columns);
  ExportSettings settings;
  while (scan.next()) {
    const auto name = scan.text(0);
    const auto value = scan.text(1);
    if (!name || !value) continue;
    if (*name == "EXPORT_PARAM_TIME_NORMALIZE") settings.normalized = *value == "true" || *value == "1";
    if (*name != "EXPORT_PARAM_TIME_SHIFT" && *name != "EXPORT_CONFIG_TIME_SHIFT") continue;
    const auto shift = parse_int64(trim(*value));
    if (shift && __builtin_add_overflow(settings.shift_ns, *shift, &settings.shift_ns)) settings.shift_ns = 0;
  }
  return settings;
}

/// Whether the events count by the system's clock rather than from the session's start: they lie within the session
/// by that clock, and outside it from zero.
bool counts_by_system_clock(NsysDatabase& database, const TimeSpan& device, const SessionStart& start) {
  if (!start.system_clock_ns || *start.system_clock_ns <= 0) return false;
  constexpr std::array columns{std::string_view("startTime"), std::string_view("stopTime")};
  TableScan scan(database, database.find("ANALYSIS_DETAILS"), columns);
  if (!scan.next()) return false;
  const auto begin = scan.integer(0);
  const auto end = scan.integer(1);
  if (!begin || !end || *end <= *begin || *begin < 0) return false;
  constexpr std::int64_t slack = 5 * second;
  const bool within = device.first >= *begin - slack && device.last <= *end + slack;
  const bool within_from_zero = device.last <= *end - *begin + slack;
  return within && !within_from_zero;
}

std::string as_text(std::int64_t utc_ns) {
  using namespace std::chrono;
  const sys_seconds time{seconds(utc_ns / second)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace

std::optional<std::int64_t> parse_utc(std::string_view text) {
  text = trim(text);
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const auto number = [text](std::size_t at, std::size_t size) { return parse_int64(text.substr(at, size)); };
  const auto year = number(0, 4);
  const auto month = number(5, 2);
  const auto day = number(8, 2);
  const auto hour = number(11, 2);
  const auto minute = number(14, 2);
  const auto seconds_and_more = parse_scaled(text.substr(17), 9);
  if (!year || !month || !day || !hour || !minute || !seconds_and_more) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date(std::chrono::year(static_cast<int>(*year)),
                            std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day)));
  const bool on_the_clock = *hour >= 0 && *hour < 24 && *minute >= 0 && *minute < 60 && *seconds_and_more >= 0 &&
                            *seconds_and_more < 61 * second;
  constexpr int last_year = 2200;
  if (!date.ok() || !on_the_clock || *year < 1970 || *year > last_year) return std::nullopt;
  const std::int64_t days_since_epoch = sys_days(date).time_since_epoch().count();
  return ((days_since_epoch * 24 + *hour) * 60 + *minute) * 60 * second + *seconds_and_more;
}

SessionTime find_session_time(NsysDatabase& database, const TimeSpan& device) {
  const SessionStart start = read_session_start(database);
  const ExportSettings settings = read_export_settings(database);
  if (settings.normalized || device.first > epoch_like_ns) {
    std::string how = "Times are UTC in the file (it was exported with --ts-normalize)";
    if (settings.shift_ns != 0)
      how += fmt::format(", shifted by {} ns as it was asked for (--ts-shift)", settings.shift_ns);
    return {std::nullopt, device.first > epoch_like_ns ? how : std::string(), Severity::info};
  }
  const auto utc = start.utc_ns ? start.utc_ns : start.utc_from_text_ns;
  if (!utc) return {};
  SessionTime time;
  std::int64_t zero = 0;
  time.how = fmt::format("Times count from the session's start, {}", as_text(*utc));
  if (counts_by_system_clock(database, device, start)) {
    zero = *start.system_clock_ns;
    time.how = fmt::format("Times count by the system's clock, which stood at {} ns when the session started, {}", zero,
                           as_text(*utc));
  }
  if (settings.shift_ns != 0) {
    time.how += fmt::format("; the {} ns that the export added (--ts-shift) were taken off", settings.shift_ns);
  }
  if (!start.utc_ns) {
    time.how +=
        ", which the file has in whole seconds only: up to a second too early. Give --time-offset if you know it";
    time.severity = Severity::warning;
  }
  std::int64_t base = 0;
  if (__builtin_sub_overflow(*utc, zero, &base) || __builtin_sub_overflow(base, settings.shift_ns, &base)) return {};
  if (base <= 0) return {};
  time.base_ns = base;
  return time;
}

}  // namespace kernwatt::readers::nsys
