// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view nsys_format = "nsys-sqlite";

/// Reads what `nsys export --type sqlite` wrote, of any version: tables and columns that are not there are not missed.
/// `file` is the name for the trace. The database is opened for reading only, and nothing beside it is touched.
/// Errors: io; bad_data (no SQLite, damaged before the first table, not from Nsight Systems); unsupported (a kernwatt
/// Run).
Result<run::Trace> read_nsys(const std::filesystem::path& path, std::string file, const Progress& progress);

/// The same of a stream (compressed, a pipe, a member of an archive): small ones are read in memory, others by way of a
/// temporary file that has no name. Errors: as above; io when the temporary folder has no room.
Result<run::Trace> read_nsys(ByteSource& source, std::string file, const Progress& progress);

}  // namespace kernwatt::readers
