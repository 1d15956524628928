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

inline constexpr std::string_view metric_csv_format = "metric-csv";

/// Whether a header is that of a table with a metric per row: it names a metric and a value.
bool is_metric_header(std::string_view header);

/// Reads a table with one metric of one GPU a row: a time, the metric's name, its value, and columns named as the
/// labels of exporters (gpu, UUID, Hostname, …). Errors: io; bad_data (no such header, nothing about a GPU).
Result<run::PowerLog> read_metric_csv(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress);

}  // namespace kernwatt::readers
