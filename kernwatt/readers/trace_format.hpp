// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/trace.hpp"

/// Private to this folder: one trace, wherever its bytes come from.
namespace kernwatt::readers {

struct TraceInput {
  ByteSource& source;
  std::string file;  ///< what the trace is called: a path, or "ARCHIVE/MEMBER"
  /// Where the bytes lie as they are, for readers that must seek; empty for a member of an archive.
  std::optional<std::filesystem::path> path;
};

/// Errors: invalid_argument when options.format is no known name.
Status check_trace_format(const ReadOptions& options);

/// Reads it in the format that is asked for, or that its content tells. Errors: as read_trace.
Result<run::Trace> read_trace_input(const TraceInput& input, const ReadOptions& options);

}  // namespace kernwatt::readers
