// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/timestamp.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
// The year 2200. Nothing later is a time of a log, and differences and small shifts of what is left cannot overflow.
constexpr std::int64_t latest_ns = 7'258'118'400 * ns_per_second;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Walks through the text of a civil time.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool done() const { return text_.empty(); }
  char front() const { return text_.empty() ? '\0' : text_.front(); }
  bool take(char c) {
    if (front() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (take(' ') || take('\t')) {
    }
  }
  /// An unsigned number of up to `most` digits; digits_ says how many there were.
  std::optional<int> number(std::size_t most) {
    int value = 0;
    digits_ = 0;
    while (!text_.empty() && is_digit(text_.front()) && digits_ < most) {
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
      ++digits_;
    }
    if (digits_ == 0) return std::nullopt;
    return value;
  }
  std::size_t digits() const { return digits_; }
  std::string_view digit_run() {
    std::size_t n = 0;
    while (n < text_.size() && is_digit(text_[n])) ++n;
    const std::string_view run = text_.substr(0, n);
    text_.remove_prefix(n);
    return run;
  }
  std::string_view word() {
    std::size_t n = 0;
    while (n < text_.size() && is_letter(text_[n])) ++n;
    const std::string_view word = text_.substr(0, n);
    text_.remove_prefix(n);
    return word;
  }

 private:
  std::string_view text_;
  std::size_t digits_ = 0;
};

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
  DayOrder order = DayOrder::clear;
};

std::optional<int> month_of(std::string_view word) {
  static constexpr std::array<std::string_view, 12> names{"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
  if (word.size() < 3) return std::nullopt;
  const std::array<char, 3> start{lower(word[0]), lower(word[1]), lower(word[2])};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == std::string_view(start.data(), start.size())) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::optional<std::int64_t> days_since_epoch(int year, int month, int day) {
  namespace ch = std::chrono;
  const ch::year_month_day date{ch::year(year), ch::month(static_cast<unsigned>(month)),
                                ch::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970 || year > 2199) return std::nullopt;
  return ch::sys_days(date).time_since_epoch().count();
}

std::optional<Date> numeric_date(Scanner& in) {
  const auto first = in.number(4);
  if (!first) return std::nullopt;
  const bool year_first = in.digits() == 4;
  const char separator = in.front();
  if (separator != '/' && separator != '-' && separator != '.') return std::nullopt;
  in.take(separator);
  const auto second = in.number(2);
  if (!second || !in.take(separator)) return std::nullopt;
  const auto third = in.number(4);
  if (!third) return std::nullopt;
  if (year_first) return Date{*first, *second, *third, DayOrder::clear};
  if (in.digits() != 4) return std::nullopt;
  if (*first > 12) return Date{*third, *second, *first, DayOrder::day_first};
  if (*second > 12) return Date{*third, *first, *second, DayOrder::month_first};
  return Date{*third, *second, *first, *first == *second ? DayOrder::clear : DayOrder::undecidable};
}

struct ClockTime {
  std::int64_t ns = 0;  // since midnight
};

std::optional<std::int64_t> fraction_ns(Scanner& in) {
  if (!in.take('.') && !in.take(',')) return 0;
  std::string_view digits = in.digit_run();
  if (digits.empty()) return std::nullopt;
  digits = digits.substr(0, 9);
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 9; ++i) value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return value;
}

std::optional<ClockTime> clock_time(Scanner& in) {
  auto hour = in.number(2);
  if (!hour || !in.take(':')) return std::nullopt;
  const auto minute = in.number(2);
  if (!minute) return std::nullopt;
  int second = 0;
  std::int64_t fraction = 0;
  if (in.take(':')) {
    const auto s = in.number(2);
    if (!s) return std::nullopt;
    second = *s;
    const auto f = fraction_ns(in);
    if (!f) return std::nullopt;
    fraction = *f;
  }
  in.skip_blanks();
  const char half = lower(in.front());
  if (half == 'a' || half == 'p') {
    const std::string_view word = in.word();
    if (word.size() != 2 || lower(word[1]) != 'm' || *hour < 1 || *hour > 12) return std::nullopt;
    hour = *hour % 12 + (half == 'p' ? 12 : 0);
  }
  if (*hour > 23 || *minute > 59 || second > 60) return std::nullopt;
  const std::int64_t seconds = std::int64_t{*hour} * 3600 + std::int64_t{*minute} * 60 + second;
  return ClockTime{seconds * ns_per_second + fraction};
}

struct Zone {
  bool known = false;
  std::int64_t offset_ns = 0;
};

std::optional<Zone> zone(Scanner& in) {
  in.skip_blanks();
  if (in.done()) return Zone{};
  const char sign = in.front();
  if (sign == '+' || sign == '-') {
    in.take(sign);
    const auto hours = in.number(2);
    if (!hours || in.digits() != 2) return std::nullopt;
    in.take(':');
    const auto minutes = in.done() ? std::optional<int>(0) : in.number(2);
    if (!minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    const std::int64_t offset = (std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60) * ns_per_second;
    return Zone{true, sign == '-' ? -offset : offset};
  }
  const std::string_view word = in.word();
  if (word == "Z" || word == "z" || word == "UTC" || word == "GMT") return Zone{true, 0};
  // Other abbreviations are not unique (CST is -06:00 or +08:00): as good as no zone.
  const bool abbreviation = word.size() >= 3 && word.size() <= 5 &&
                            std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return abbreviation ? std::optional<Zone>(Zone{}) : std::nullopt;
}

std::optional<Timestamp> join(const Date& date, const ClockTime& clock, const Zone& zone) {
  const auto days = days_since_epoch(date.year, date.month, date.day);
  if (!days) return std::nullopt;
  Timestamp result;
  result.ns = *days * 86'400 * ns_per_second + clock.ns - zone.offset_ns;
  result.kind = zone.known ? TimeKind::absolute : TimeKind::civil;
  result.day_order = date.order;
  return result;
}

// "Wed Apr  9 10:26:15 2025" and "Wed Apr  9 10:26:15 UTC 2025"
std::optional<Timestamp> ctime_form(Scanner in) {
  const std::string_view word = in.word();
  in.skip_blanks();
  auto month = month_of(is_letter(in.front()) ? in.word() : word);
  in.skip_blanks();
  const auto day = in.number(2);
  in.skip_blanks();
  if (!month || !day) return std::nullopt;
  const auto clock = clock_time(in);
  in.skip_blanks();
  Zone where;
  if (is_letter(in.front())) {
    const std::string_view name = in.word();
    where.known = name == "UTC" || name == "GMT";
    in.skip_blanks();
  }
  const auto year = in.number(4);
  if (!clock || !year || !in.done()) return std::nullopt;
  return join({*year, *month, *day, DayOrder::clear}, *clock, where);
}

// "Mon, 30 Nov 2026 09:13:20 +0000" and without the day of the week (RFC 2822)
std::optional<Timestamp> mail_form(Scanner in) {
  if (is_letter(in.front())) {
    in.word();
    if (!in.take(',')) return std::nullopt;
    in.skip_blanks();
  }
  const auto day = in.number(2);
  in.skip_blanks();
  const auto month = month_of(in.word());
  in.skip_blanks();
  const auto year = in.number(4);
  if (!day || !month || !year || in.digits() != 4) return std::nullopt;
  in.skip_blanks();
  const auto clock = clock_time(in);
  const auto where = clock ? zone(in) : std::nullopt;
  if (!where || !in.done()) return std::nullopt;
  return join({*year, *month, *day, DayOrder::clear}, *clock, *where);
}

std::optional<Timestamp> civil_form(Scanner in) {
  const auto date = numeric_date(in);
  if (!date) return std::nullopt;
  const bool t = in.take('T') || in.take('t') || in.take('_');
  if (!t) {
    in.take(',');
    in.skip_blanks();
  }
  if (in.done()) return join(*date, {}, {});
  const auto clock = clock_time(in);
  if (!clock) return std::nullopt;
  const auto where = zone(in);
  if (!where) return std::nullopt;
  in.skip_blanks();
  if (!in.done()) return std::nullopt;
  return join(*date, *clock, *where);
}

// "20261130T091320Z", "20261130T091320.25+0100" (ISO 8601, basic)
std::optional<Timestamp> basic_form(std::string_view text) {
  if (text.size() < 15 || text[8] != 'T') return std::nullopt;
  if (text.substr(0, 8).find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  if (text.substr(9, 6).find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::string extended(text);
  for (const std::size_t at : {13U, 11U}) extended.insert(at, 1, ':');
  for (const std::size_t at : {6U, 4U}) extended.insert(at, 1, '-');
  return civil_form(Scanner(extended));
}

// Sizes of today's epoch counts lie a factor of 1000 apart, so the unit is certain from 1973 to 5138.
TimeUnit unit_by_size(double count) {
  if (count < 1e8) return TimeUnit::guess;
  if (count < 1e11) return TimeUnit::seconds;
  if (count < 1e14) return TimeUnit::milliseconds;
  if (count < 1e17) return TimeUnit::microseconds;
  return TimeUnit::nanoseconds;
}

int decimals_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::guess:
    case TimeUnit::minutes:
    case TimeUnit::seconds:
      return 9;
    case TimeUnit::milliseconds:
      return 6;
    case TimeUnit::microseconds:
      return 3;
    case TimeUnit::nanoseconds:
      return 0;
  }
  return 9;
}

std::optional<Timestamp> count_form(std::string_view text, TimeUnit unit) {
  const auto rough = parse_double(text);
  if (!rough || *rough < 0) return std::nullopt;
  const TimeUnit by_size = unit_by_size(*rough);
  if (unit == TimeUnit::guess) unit = by_size;
  if (unit == TimeUnit::minutes && *rough > 1e8) return std::nullopt;  // two centuries
  const int decimals = decimals_of(unit);
  Timestamp result;
  if (const auto exact = parse_scaled(text, decimals)) {
    result.ns = *exact;
  } else {
    const double ns = *rough * std::pow(10.0, decimals);  // "1.7676e9": there are no more digits to keep
    if (ns > 9e18) return std::nullopt;
    result.ns = static_cast<std::int64_t>(std::llround(ns));
  }
  if (unit == TimeUnit::minutes) result.ns *= 60;
  if (result.ns > latest_ns) return std::nullopt;
  // Before 1973: not when, but how long since something.
  result.kind = result.ns < 100'000'000 * ns_per_second ? TimeKind::relative : TimeKind::absolute;
  return result;
}

struct TimeOfDay {
  std::int64_t ns = 0;
  bool zone_is_utc = false;
};

// "16:06:06", "16:06:06.780", either with a Z; nothing else.
std::optional<TimeOfDay> time_of_day_form(std::string_view text) {
  const auto two = [text](std::size_t i) {
    return is_digit(text[i]) && is_digit(text[i + 1]) ? (text[i] - '0') * 10 + (text[i + 1] - '0') : -1;
  };
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const int hour = two(0);
  const int minute = two(3);
  const int second = two(6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  TimeOfDay time;
  text.remove_prefix(8);
  if (!text.empty() && text.back() == 'Z') {
    time.zone_is_utc = true;
    text.remove_suffix(1);
  }
  std::int64_t fraction = 0;
  if (!text.empty()) {
    if (text.size() < 2 || text.size() > 10 || text.front() != '.') return std::nullopt;
    for (std::size_t i = 1; i < 10; ++i) {
      if (i < text.size() && !is_digit(text[i])) return std::nullopt;
      fraction = fraction * 10 + (i < text.size() ? text[i] - '0' : 0);
    }
  }
  time.ns = (std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second) * ns_per_second + fraction;
  return time;
}

}  // namespace

std::optional<Timestamp> TimestampReader::read(std::string_view text, TimeUnit unit) {
  text = trim(text);
  const bool has_date = text.size() >= date_.size() + 8;
  if (has_date && known_ && std::equal(date_.begin(), date_.end(), text.begin())) {
    if (const auto time = time_of_day_form(text.substr(date_.size()))) {
      return Timestamp{midnight_ns_ + time->ns, time->zone_is_utc ? TimeKind::absolute : TimeKind::civil, order_};
    }
  }
  const auto stamp = parse_timestamp(text, unit);
  if (!has_date || !stamp || stamp->kind == TimeKind::relative) return stamp;
  const auto time = time_of_day_form(text.substr(date_.size()));
  if (!time) return stamp;
  std::copy_n(text.begin(), date_.size(), date_.begin());
  midnight_ns_ = stamp->ns - time->ns;
  order_ = stamp->day_order;
  known_ = true;
  return stamp;
}

std::optional<Timestamp> parse_timestamp(std::string_view text, TimeUnit unit) {
  text = trim(text);
  if (text.empty()) return std::nullopt;
  if (is_letter(text.front())) {
    const auto stamp = ctime_form(Scanner(text));
    return stamp ? stamp : mail_form(Scanner(text));
  }
  if (const auto count = count_form(text, unit)) return count;
  if (const auto civil = civil_form(Scanner(text))) return civil;
  if (const auto basic = basic_form(text)) return basic;
  if (const auto mail = mail_form(Scanner(text))) return mail;
  Scanner clock_only(text);
  if (const auto clock = clock_time(clock_only); clock && clock_only.done()) {
    return Timestamp{clock->ns, TimeKind::relative, DayOrder::clear};
  }
  return std::nullopt;
}

std::int64_t exchange_day_and_month(std::int64_t ns) {
  namespace ch = std::chrono;
  constexpr std::int64_t day_ns = 86'400 * ns_per_second;
  const std::int64_t days = ns >= 0 ? ns / day_ns : -((-ns + day_ns - 1) / day_ns);
  const ch::year_month_day date{ch::sys_days{ch::days{days}}};
  if (static_cast<unsigned>(date.day()) > 12) return ns;
  const auto other =
      days_since_epoch(static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.day())),
                       static_cast<int>(static_cast<unsigned>(date.month())));
  return other ? *other * day_ns + (ns - days * day_ns) : ns;
}

}  // namespace kernwatt::readers
