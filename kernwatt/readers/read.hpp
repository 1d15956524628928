// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// The door of this folder: a path in, facts out. Files may be plain, .gz or .zst (told by content, not by name).
namespace kernwatt::readers {

/// Called now and then while a file is read. total is empty when it cannot be known. Same thread as the reader.
using Progress = std::function<void(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total)>;

struct ReadOptions {
  std::string format;  ///< one of trace_formats() or power_formats(); empty: guess from the content
  Progress progress;   ///< may be empty
};

/// Names accepted by --trace-format and --power-format.
std::vector<std::string_view> trace_formats();
std::vector<std::string_view> power_formats();

/// Reads a profiler trace. A trace without any GPU kernel is not an error here: launches is empty and the ledger has
/// an error entry "trace.no-kernels" that says what the trace has instead.
/// Errors: io (cannot be opened or read, a directory), bad_data (no known format, nothing usable, damage before the
/// first event), invalid_argument (unknown format name).
Result<run::Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads every trace that a file holds: one, or each rank of a .tar or .tar.gz of ranks, in the archive's order;
/// Trace::file is then "ARCHIVE/MEMBER". Errors as read_trace; a member that is no trace is skipped and said.
Result<std::vector<run::Trace>> read_traces(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads a power log. Errors as read_trace.
Result<run::PowerLog> read_power_log(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace kernwatt::readers
