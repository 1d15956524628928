// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/csv/number.hpp"

#include <charconv>
#include <cmath>
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
  std::int64_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (!append_digit(value, text[i] - '0')) return std::nullopt;
  }
  bool any = i > 0;
  bool round_up = false;
  int places = 0;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i, ++places) {
      any = true;
      if (places < decimals && !append_digit(value, text[i] - '0')) return std::nullopt;
      if (places == decimals) round_up = text[i] >= '5';
    }
  }
  if (!any || i != text.size()) return std::nullopt;
  for (; places < decimals; ++places) {
    if (!append_digit(value, 0)) return std::nullopt;
  }
  if (round_up && __builtin_add_overflow(value, 1, &value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace kernwatt::readers
