// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernwatt::readers::kineto {

/// Microseconds as decimal text ("1712195495505582.988", "5e3", "-1.5") as nanoseconds, exactly: a double would keep
/// only a quarter of a microsecond of today's date. Digits below 1 ns are rounded to nearest. Empty when the text is
/// not a number or the value does not fit.
std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text);

/// A whole number; empty when the text is not one or it does not fit. Unsigned values above 2^63 keep their bits, so
/// that ids stay distinct.
std::optional<std::int64_t> integer(std::string_view text);

}  // namespace kernwatt::readers::kineto
