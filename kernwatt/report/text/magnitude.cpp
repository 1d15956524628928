// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/magnitude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <span>

namespace kernwatt::report {
namespace {

constexpr std::array energy_units{Unit{"nJ", 1e-9}, Unit{"µJ", 1e-6}, Unit{"mJ", 1e-3}, Unit{"J", 1},
                                  Unit{"kJ", 1e3},  Unit{"MJ", 1e6},  Unit{"GJ", 1e9}};
constexpr std::array time_units{Unit{"ns", 1e-9}, Unit{"µs", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};
constexpr Unit watt{"W", 1};

/// 999.6 would be shown as "1000", so it already belongs to the next unit.
constexpr double rounds_up_at = 0.9995;

Unit unit_for(std::span<const Unit> units, double value, Unit base) {
  const double magnitude = std::abs(value);
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return base;
  Unit best = units.front();
  for (const Unit& unit : units)
    if (magnitude >= unit.size * rounds_up_at) best = unit;
  return best;
}

/// Digits after the point that give `digits` significant ones.
int decimals_for(double value, int digits) {
  const double magnitude = std::abs(value);
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return 0;
  // The small addend makes 9.995 count as 10.0, which is what it is shown as.
  const double rounded = magnitude * (1 + 0.5 * std::pow(10.0, -digits));
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(rounded))), 0, 9);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "?";
  if (std::abs(value) >= 1e9) return fmt::format("{:.2e}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (zero && text.front() == '-') text.erase(0, 1);
  return text;
}

/// "0.04"; "<0.01" for an interval narrower than the last digit.
std::string half_text(double half, int decimals) {
  const double last_digit = std::pow(10.0, -decimals);
  return half > 0 && half < last_digit / 2 ? "<" + fixed(last_digit, decimals) : fixed(half, decimals);
}

Measured measured(double value, const std::optional<run::Interval>& interval, Unit unit) {
  const double scaled = value / unit.size;
  int decimals = decimals_for(scaled, 3);
  const std::optional<double> half = half_width(value, interval);
  if (!half) return {fixed(scaled, decimals), "", unit.name};
  const double scaled_half = *half / unit.size;
  // Two digits of the interval decide, but never fewer than two digits of the value or more than three: a fourth only
  // where the interval would vanish.
  const int fewest = scaled_half > std::abs(scaled) ? 0 : std::min(decimals, decimals_for(scaled, 2));
  const int shown = std::clamp(decimals_for(scaled_half, 2), fewest, decimals);
  decimals = decimals_for(scaled_half, 1) > shown ? shown + 1 : shown;
  return {fixed(scaled, decimals), half_text(scaled_half, decimals), unit.name};
}

}  // namespace

std::string Measured::text() const {
  return half.empty() ? fmt::format("{} {}", value, unit) : fmt::format("{} ± {} {}", value, half, unit);
}

Unit energy_unit(double joules) { return unit_for(energy_units, joules, {"J", 1}); }
Unit time_unit(double seconds) { return unit_for(time_units, seconds, {"s", 1}); }

std::optional<double> half_width(double value, const std::optional<run::Interval>& interval) {
  if (!interval) return std::nullopt;
  const double half = std::max(interval->high - value, value - interval->low);
  if (!std::isfinite(half)) return std::nullopt;
  return std::max(half, 0.0);
}

Measured measured_energy(double joules, const std::optional<run::Interval>& interval) {
  // The unit follows the interval too, so that "3 ± 200 mJ" does not become "3.00 ± 200.00 mJ".
  const double half = half_width(joules, interval).value_or(0);
  return measured(joules, interval, energy_unit(std::max(std::abs(joules), half / 10)));
}

Measured measured_energy_change(double joules, const std::optional<run::Interval>& interval) {
  const double half = half_width(joules, interval).value_or(0);
  return measured(joules, interval, energy_unit(std::max(std::abs(joules), half)));
}

Measured measured_power(double watts, const std::optional<run::Interval>& interval) {
  return measured(watts, interval, watt);
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "?";
  const double magnitude = std::abs(value);
  if (magnitude > 0 && (magnitude < 0.001 || magnitude >= 999999.5)) return fmt::format("{:.2e}", value);
  return fixed(value, decimals_for(value, 3));
}

std::string time_text(double seconds) {
  const Unit unit = time_unit(seconds);
  return fmt::format("{} {}", three_digits(seconds / unit.size), unit.name);
}

std::string duration_text(double seconds) {
  constexpr double longest_in_seconds = 600;
  if (!(seconds >= longest_in_seconds) || seconds > 1e15) return time_text(seconds);
  const auto parts = [](long long whole, long long of, const char* unit, const char* rest_unit) {
    const long long rest = whole % of;
    return rest == 0 ? fmt::format("{} {}", whole / of, unit)
                     : fmt::format("{} {} {} {}", whole / of, unit, rest, rest_unit);
  };
  if (seconds < 3600) return parts(std::llround(seconds), 60, "min", "s");
  if (seconds < 48 * 3600) return parts(std::llround(seconds / 60), 60, "h", "min");
  return parts(std::llround(seconds / 3600), 24, "d", "h");
}

std::string energy_text(double joules) { return measured_energy(joules, std::nullopt).text(); }

std::string share_text(double share) {
  const double percent = share * 100;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return fixed(percent, 1) + " %";
}

std::string count_text(std::uint64_t count) {
  if (count < 10'000'000) return std::to_string(count);
  const double value = static_cast<double>(count);
  return value < 999.5e6 ? three_digits(value / 1e6) + " M" : three_digits(value / 1e9) + " G";
}

std::string utc_text(std::int64_t time_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  std::int64_t seconds = time_ns / ns_per_s;
  std::int64_t rest = time_ns % ns_per_s;
  if (rest < 0) {
    rest += ns_per_s;
    --seconds;
  }
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm civil{};
  if (::gmtime_r(&time, &civil) == nullptr) return fmt::format("{} ns", time_ns);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", civil.tm_year + 1900, civil.tm_mon + 1,
                     civil.tm_mday, civil.tm_hour, civil.tm_min, civil.tm_sec, rest / 1'000'000);
}

}  // namespace kernwatt::report
