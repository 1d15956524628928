// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/csv/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace kernwatt::readers {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars knows no '+'.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

bool append_digit(std::int64_t& value, int digit) {
  return !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, digit, &value);
}

// Cuts the "e+06" of "1.0025e+06" off and gives 6; 0 when there is none, empty when it is no exponent.
std::optional<int> take_exponent(std::string_view& text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return 0;
  const auto value = parse_int64(text.substr(e + 1));
  // Of what lies beyond nothing fits an integer.
  if (!value || *value > 400 || *value < -400) return std::nullopt;
  text = text.substr(0, e);
  return static_cast<int>(*value);
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  text = without_plus(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_scaled(std::string_view text, int decimals) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const auto exponent = take_exponent(text);
  if (!exponent) return std::nullopt;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() && fraction.empty()) return std::nullopt;
  if (!std::all_of(whole.begin(), whole.end(), is_digit) || !std::all_of(fraction.begin(), fraction.end(), is_digit)) {
    return std::nullopt;
  }
  const auto digit = [&](std::ptrdiff_t i) {
    if (i < 0) return 0;
    const auto at = static_cast<std::size_t>(i);
    if (at < whole.size()) return whole[at] - '0';
    return at - whole.size() < fraction.size() ? fraction[at - whole.size()] - '0' : 0;
  };
  // The digits before the place that is rounded to; behind the last one stand zeros.
  const std::ptrdiff_t kept = static_cast<std::ptrdiff_t>(whole.size()) + *exponent + decimals;
  const auto written = static_cast<std::ptrdiff_t>(whole.size() + fraction.size());
  std::int64_t value = 0;
  for (std::ptrdiff_t i = 0; i < kept && (i < written || value != 0); ++i) {
    if (!append_digit(value, digit(i))) return std::nullopt;
  }
  if (digit(kept) >= 5 && __builtin_add_overflow(value, 1, &value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace kernwatt::readers
