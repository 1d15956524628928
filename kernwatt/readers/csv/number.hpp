// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Numbers in text, read exactly. Locales play no part.
namespace kernwatt::readers {

/// Without the blanks (space, tab, CR, LF) at both ends.
std::string_view trim(std::string_view text);

/// The whole text as a decimal integer with optional sign; empty when it is anything else or does not fit.
std::optional<std::int64_t> parse_int64(std::string_view text);

/// The whole text as a finite number, with optional sign, fraction and exponent; empty when it is anything else.
std::optional<double> parse_double(std::string_view text);

/// The whole text, a decimal number, times 10^decimals as an integer: ("1.25", 3) is 1250, ("1.0025e+06", 0) is
/// 1002500. Digits beyond the scale are rounded half away from zero. Empty when it is anything else or does not fit: no
/// detour through binary fractions, which lose nanoseconds of today's times.
std::optional<std::int64_t> parse_scaled(std::string_view text, int decimals);

}  // namespace kernwatt::readers
