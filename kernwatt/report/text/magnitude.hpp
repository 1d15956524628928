// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/run/attribution.hpp"

/// Numbers as people read them: three significant digits in a unit of the right size. Private to this folder.
namespace kernwatt::report {

/// A unit and how many of the base unit it is: {"kJ", 1e3}.
struct Unit {
  std::string_view name;
  double size = 1;
};

/// The unit in which |value| is 1 to 999; the smallest or the largest one at the ends.
Unit energy_unit(double joules);
Unit time_unit(double seconds);

/// A value and half of its 95 % interval, as text in one unit and with the same decimals.
struct Measured {
  std::string value;
  std::string half;  ///< empty without an interval
  std::string_view unit;
  /// "2.31 ± 0.04 kJ", "2.31 kJ"
  std::string text() const;
};

/// The larger of the two sides of the interval, in the base unit.
std::optional<double> half_width(double value, const std::optional<run::Interval>& interval);

Measured measured_energy(double joules, const std::optional<run::Interval>& interval);
/// A difference: in the unit of the larger of the two, so that "+0.1 ± 5.8 J" is not said in mJ.
Measured measured_energy_change(double joules, const std::optional<run::Interval>& interval);
Measured measured_power(double watts, const std::optional<run::Interval>& interval);  ///< always in W

/// Three significant digits without exponent between 0.001 and 999 999: "0.0123", "1.23", "123", "12345".
std::string three_digits(double value);
/// "3.41 s", "12.0 µs"
std::string time_text(double seconds);
/// As time_text up to ten minutes; then "12 min 5 s", "13 h 32 min", "3 d 4 h".
std::string duration_text(double seconds);
std::string energy_text(double joules);
/// "29.2 %"; "<0.1 %" for what is there but rounds to nothing.
std::string share_text(double share);
/// "4608", "12.3 M"
std::string count_text(std::uint64_t count);
/// "2026-03-01 12:00:00.000 UTC" of nanoseconds since the epoch.
std::string utc_text(std::int64_t time_ns);

}  // namespace kernwatt::report
