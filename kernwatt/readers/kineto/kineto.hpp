// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::readers {

/// Reads a trace of PyTorch's profiler (Kineto): Chrome's trace-event format, as an object with "traceEvents" or as
/// a bare array. In one pass and in memory proportional to the launches and host events, not to the text. Whatever is
/// mended, set aside or missing is in the trace's ledger (ids "trace.…", docs/formats.md).
/// Errors: io; bad_data when it is not JSON, has no array of events, or is damaged before the first event.
Result<run::Trace> read_kineto(ByteSource& source, std::string file, const Progress& progress);

}  // namespace kernwatt::readers
