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

inline constexpr std::string_view prometheus_text_format = "prometheus-text";

/// Reads what an exporter answers (dcgm-exporter, nvidia_gpu_exporter, …): the text exposition or OpenMetrics. One
/// scrape, or several put one after the other; a scrape's time is that of its samples, else that of a line before it
/// which holds one ("# scrape 1767600000", "2026-01-05T12:00:00Z").
/// Errors: io; bad_data (no sample about a GPU).
Result<run::PowerLog> read_exposition(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress);

/// Whether a line is a sample, "name{label=\"value\",…} 1.5".
bool is_exposition_sample(std::string_view line);

}  // namespace kernwatt::readers
