// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view power_csv_format = "power-csv";
inline constexpr std::string_view power_samples_format = "power-samples-csv";
inline constexpr std::string_view nvidia_smi_format = "nvidia-smi-csv";

/// What the beginning of a power log, as text, tells about it.
struct PowerGuess {
  char delimiter = ',';
};

/// Fails with bad_data or unsupported, and says what the file seems to be and what would be accepted, when the text is
/// not a table of comma-separated (or tab- or semicolon-separated) values.
Result<PowerGuess> guess_power_table(std::string_view head);

/// "power-csv, power-samples-csv, nvidia-smi-csv"
std::string accepted_power_formats();

}  // namespace kernwatt::readers
