// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/kernwatt/console.hpp"
#include "kernwatt/core/result.hpp"

namespace kernwatt::app {

/// A file that a command was asked to write; "-" is standard output. Empty: not asked for.
struct OutputTarget {
  std::string option;  ///< "--json": for messages
  std::string path;

  bool wanted() const { return !path.empty(); }
  bool is_standard_output() const { return path == "-"; }
};

/// /dev/null, a named pipe, /dev/stdout: written as they are.
bool is_stream(const std::string& path);

/// Finds out before the work what would fail after it: a file that exists (without `force`), a folder that cannot be
/// written, one file for two outputs, an output that is one of the inputs (never, not even with `force`).
/// Errors: invalid_argument, io.
Status check_outputs(const std::vector<OutputTarget>& outputs, const std::vector<std::string>& inputs, bool force);

/// Writes the text: whole or not at all for a file, straight for standard output, a pipe or a device. Errors: io.
Status write_output(const OutputTarget& output, std::string_view text, bool force, const Console& console);

}  // namespace kernwatt::app
