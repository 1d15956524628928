// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace kernwatt {

/// A number with its unit in the type. Bulk columns are plain numbers whose names end in the unit
/// (time_ns, energy_mj); single values that cross an interface are Quantities.
template <class Unit, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.value_ / divisor); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  Rep value_{};
};

using Joules = Quantity<struct JouleUnit, double>;
using Watts = Quantity<struct WattUnit, double>;
using Seconds = Quantity<struct SecondUnit, double>;
using Megahertz = Quantity<struct MegahertzUnit, double>;
/// Exact: the unit of NVML's energy counter. Subtract first, convert after.
using Millijoules = Quantity<struct MillijouleUnit, std::int64_t>;
/// Exact: a duration in nanoseconds.
using Nanoseconds = Quantity<struct NanosecondUnit, std::int64_t>;

constexpr Joules to_joules(Millijoules e) { return Joules(static_cast<double>(e.value()) * 1e-3); }
constexpr Seconds to_seconds(Nanoseconds t) { return Seconds(static_cast<double>(t.value()) * 1e-9); }
constexpr Joules operator*(Watts p, Seconds t) { return Joules(p.value() * t.value()); }
constexpr Watts operator/(Joules e, Seconds t) { return Watts(e.value() / t.value()); }

}  // namespace kernwatt
