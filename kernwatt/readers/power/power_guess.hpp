// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view power_csv_format = "power-csv";
inline constexpr std::string_view power_samples_format = "power-samples-csv";
inline constexpr std::string_view nvidia_smi_format = "nvidia-smi-csv";

/// What the beginning of a power log, as text, tells about it.
struct PowerGuess {
  std::string_view format;  ///< empty: a table of separated values, whose header will say which
  char delimiter = ',';
};

/// Fails with bad_data or unsupported, and says what the file seems to be and what would be accepted, when the text is
/// none of the formats that we read.
Result<PowerGuess> guess_power_format(std::string_view head);

/// "power-csv, power-samples-csv, nvidia-smi-csv, …"
std::string accepted_power_formats();

}  // namespace kernwatt::readers
