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

inline constexpr std::string_view smi_query_format = "nvidia-smi-query";

/// Reads the listing of nvidia-smi -q, with or without -d, once or in a loop (-l), also among other lines (a shell's
/// prompts, other commands). A listing of supported clocks alone gives PowerLog::supported_clocks and no readings.
/// Errors: io; bad_data (no listing, or one without a GPU).
Result<run::PowerLog> read_smi_text(ByteSource& source, const std::string& file, bool format_was_given,
                                    const Progress& progress);

}  // namespace kernwatt::readers
