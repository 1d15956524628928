// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/decimal.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace kernwatt::readers::kineto {
namespace {

constexpr std::uint64_t largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Digits with a decimal point that may be moved; false on overflow.
struct Magnitude {
  std::uint64_t value = 0;
  bool append(unsigned digit) {
    if (value > (largest - digit) / 10) return false;
    value = value * 10 + digit;
    return true;
  }
};

/// The general case: any number of digits, an exponent. `fraction` digits of the text lie behind the point.
std::optional<std::uint64_t> scaled(std::string_view whole, std::string_view fraction, int exponent) {
  Magnitude result;
  const int kept = static_cast<int>(whole.size()) + exponent;  // digits in front of the moved point
  const int available = static_cast<int>(whole.size() + fraction.size());
  const auto digit = [&](int i) {
    if (i >= available) return 0U;
    const auto index = static_cast<std::size_t>(i);
    const char byte = index < whole.size() ? whole[index] : fraction[index - whole.size()];
    return static_cast<unsigned>(byte - '0');
  };
  for (int i = 0; i < kept; ++i) {
    if (!result.append(digit(i))) return std::nullopt;
    if (result.value == 0 && i >= available) return 0;  // a zero with a huge exponent
  }
  if (kept >= 0 && kept < available && digit(kept) >= 5) ++result.value;
  return result.value <= largest ? std::optional(result.value) : std::nullopt;
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

std::optional<int> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(value, -1000, 1000);
}

/// Eight digits at once (the byte order must be little-endian); false if one of them is no digit.
bool eight_digits(const char* from, std::uint64_t& value) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  const std::uint64_t low = word - 0x3030'3030'3030'3030U;
  const std::uint64_t high = word + 0x4646'4646'4646'4646U;
  if (((low | high) & 0x8080'8080'8080'8080U) != 0) return false;
  word = low * 10 + (low >> 8U);  // pairs, then fours, then all
  constexpr std::uint64_t mask = 0x0000'00ff'0000'00ffU;
  value = (((word & mask) * 0x000f'4240'0000'0064U) + (((word >> 16U) & mask) * 0x0000'2710'0000'0001U)) >> 32U;
  return true;
}

/// What profilers write: up to 15 digits, then perhaps a point and up to 3 more.
std::optional<std::int64_t> usual_nanoseconds(std::string_view text) {
  constexpr std::size_t most_digits = 15;
  std::uint64_t value = 0;
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (text.size() >= 8 && eight_digits(text.data(), value)) at = 8;
  }
  const auto digit = [text](std::size_t i) { return static_cast<std::uint64_t>(text[i] - '0'); };
  for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + digit(at);
  if (at == 0 || at > most_digits) return std::nullopt;
  int places = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]) && places < 3; ++at, ++places) value = value * 10 + digit(at);
    if (places == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  for (; places < 3; ++places) value *= 10;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text) {
  constexpr std::size_t longest_usual = 19;  // more digits could overflow before they are counted
  if (text.size() <= longest_usual) {
    if (const auto usual = usual_nanoseconds(text)) return usual;
  }
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, count_digits(text));
  if (whole.empty()) return std::nullopt;
  text.remove_prefix(whole.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    fraction = text.substr(1, count_digits(text.substr(1)));
    if (fraction.empty()) return std::nullopt;
    text.remove_prefix(1 + fraction.size());
  }
  const auto exponent = exponent_of(text);
  if (!exponent) return std::nullopt;
  constexpr int micro_to_nano = 3;
  const auto value = scaled(whole, fraction, *exponent + micro_to_nano);
  if (!value) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

std::optional<std::int64_t> integer(std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t value = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, value); error == std::errc() && stop == end) {
    return value;
  }
  std::uint64_t large = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, large); error == std::errc() && stop == end) {
    return std::bit_cast<std::int64_t>(large);
  }
  return std::nullopt;
}

}  // namespace kernwatt::readers::kineto
