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
inline constexpr std::string_view cuda_gpu_trace_csv_format = "cuda-gpu-trace-csv";

/// The format of a table whose header is among the first lines of a file: kernel_csv_format,
/// cuda_gpu_trace_csv_format, or empty when none of the lines is a header.
std::string_view kernel_csv_format_of(std::string_view head);

/// Reads the compact kernel CSV: a header with name, start_ns and duration_ns, and as far as they are there category,
/// stream, grid, block ("8192x1x1"), device, context, correlation, registers, shared_memory, iteration, operator,
/// range (or layer), phase; in any order, others ignored (docs/formats.md). Times are exact integers; they are taken
/// for CLOCK_REALTIME when they lie after 2001. Launches come out sorted; a row that is there twice counts once.
/// Also reads `nsys stats --report cuda_gpu_trace --format csv` (any version, with the lines printed before it) and
/// nvprof's `--print-gpu-trace --csv`: Trace::format says which it was.
/// Errors: io; bad_data (no header, a needed column is missing, no row can be read).
Result<run::Trace> read_kernel_csv(ByteSource& source, std::string file, const Progress& progress);

}  // namespace kernwatt::readers
