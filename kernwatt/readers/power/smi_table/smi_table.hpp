// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view smi_table_format = "nvidia-smi-table";

/// Reads the table that bare nvidia-smi draws, once or in a loop (-l, watch): per GPU the power in whole watts, its cap
/// and the temperature, at the time of the line above the table. Each drawing is a round.
/// Errors: io; bad_data (no such table).
Result<run::PowerLog> read_smi_table(ByteSource& source, const std::string& file, bool format_was_given,
                                     const Progress& progress);

}  // namespace kernwatt::readers
