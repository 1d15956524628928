// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/run.hpp"

/// The Run as an SQLite file (".kw"): magic application id, format version, one documented schema
/// (docs/run-file.md), bulk columns as blobs.
namespace kernwatt::run {

/// The version of the file format, apart from the program's. Files of earlier versions are read:
///   1  without hosts of GPUs, tokens of missing readings, recorded totals and supported clocks
inline constexpr int run_file_version = 2;

/// Writes a new file. It appears whole or not at all (written beside, then renamed). Fails with invalid_argument if
/// the path exists and `overwrite` is false; with io if it cannot be written.
Status save_run(const Run& run, const std::filesystem::path& path, bool overwrite = false);

/// Reads a file written by save_run. bad_data: not a Run, damaged, or written by a newer format; io: cannot be read.
Result<Run> load_run(const std::filesystem::path& path);

}  // namespace kernwatt::run
