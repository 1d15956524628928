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

inline constexpr std::string_view zeus_windows_format = "zeus-windows-csv";
inline constexpr std::string_view zeus_summary_format = "zeus-summary-csv";
inline constexpr std::string_view codecarbon_format = "codecarbon-csv";

/// Which of the three a header is of; empty for others.
std::string_view totals_format_of(std::string_view header);

/// Reads files that hold one energy or mean power per run or window, without a course of power: Zeus' measurement
/// windows and the summaries of its traces, CodeCarbon's emissions.csv. The log has totals and no GPUs; they can be
/// reported, never laid beside a trace (power.totals-only).
/// Errors: io; bad_data (another header, no row).
Result<run::PowerLog> read_totals_csv(ByteSource& source, const std::string& file, std::string_view format,
                                      bool format_was_given, const Progress& progress);

}  // namespace kernwatt::readers
