// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view kernel_csv_format = "kernel-csv";

/// Whether a file's first text is the header of a compact kernel CSV.
bool looks_like_kernel_csv(std::string_view head);

/// Reads the compact kernel CSV: a header with name, start_ns and duration_ns, and as far as they are there category,
/// stream, grid, block ("8192x1x1"), device, context, correlation, registers, shared_memory, iteration, operator,
/// range (or layer), phase; in any order, others ignored (docs/formats.md). Times are exact integers; they are taken
/// for CLOCK_REALTIME when they lie after 2001. Launches come out sorted.
/// Errors: io; bad_data (no header, a needed column is missing, no row can be read).
Result<run::Trace> read_kernel_csv(ByteSource& source, std::string file, const Progress& progress);

}  // namespace kernwatt::readers
