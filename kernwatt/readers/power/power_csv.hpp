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

/// Reads a power log in a table of separated values: nvidia-smi --query-gpu, our own recorder's, the driver's samples,
/// and the like of other people's scripts (docs/formats.md). Columns are told by their names, in any order.
/// @param format  one of the three table formats, or empty: told by the columns, and said in the ledger as
///                "power.format"
/// Errors: io; bad_data (not a table, no times, neither power nor anything else of a GPU); unsupported (another
/// format, which the message names).
Result<run::PowerLog> read_power_csv(ByteSource& source, const std::string& file, std::string_view format,
                                     char delimiter, const Progress& progress);

}  // namespace kernwatt::readers
