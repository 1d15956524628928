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

/// Reads a power log of any format that we know from a source of bytes: what read_power_log does once a file is open.
/// @param format  one of power_formats(), or empty: told by the content
Result<run::PowerLog> read_power(ByteSource& source, const std::string& file, std::string_view format,
                                 const Progress& progress);

}  // namespace kernwatt::readers
