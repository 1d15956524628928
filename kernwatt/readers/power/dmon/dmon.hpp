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

inline constexpr std::string_view smi_dmon_format = "nvidia-smi-dmon";
inline constexpr std::string_view dcgmi_dmon_format = "dcgmi-dmon";

/// Reads nvidia-smi dmon: a header of names and one of units, again and again among the rows; with -o a date, a time or
/// both; with --format csv commas. Without a time the readings have their values only (power.no-times).
/// Errors: io; bad_data (no such header, no row); unsupported (pmon, which has no power).
Result<run::PowerLog> read_smi_dmon(ByteSource& source, const std::string& file, bool format_was_given,
                                    const Progress& progress);

/// Reads dcgmi dmon: "#Entity" and short field names, one row per entity of two words ("GPU 0"). Instances of a divided
/// GPU are parts of it and are passed over. It writes no times; what stands before the entity is tried as one.
/// Errors: as read_smi_dmon.
Result<run::PowerLog> read_dcgmi_dmon(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress);

}  // namespace kernwatt::readers
