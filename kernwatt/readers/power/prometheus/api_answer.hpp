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

inline constexpr std::string_view prometheus_json_format = "prometheus-json";

/// Reads answers of Prometheus' HTTP API, /api/v1/query and /api/v1/query_range: one, several one after the other, or
/// an array of them.
/// Errors: io; bad_data (not JSON, not such an answer, an error of the server, no series about a GPU).
Result<run::PowerLog> read_api_answer(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress);

}  // namespace kernwatt::readers
