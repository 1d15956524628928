// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "kernwatt/core/result.hpp"

namespace kernwatt::app {

/// Where a command prints, and what that place can show.
struct Console {
  bool colour = false;          ///< standard output is a terminal, and neither NO_COLOR nor TERM=dumb forbids it
  bool shows_progress = false;  ///< standard error is a terminal
  bool is_terminal = false;     ///< standard output is one
  bool utf8 = true;             ///< false where the locale says that the terminal shows something else
  std::size_t width = 100;      ///< columns of standard output

  /// Asks the terminal and the environment.
  static Console detect();
  /// Writes to standard output, all of it. Errors: io; its message is empty when the reader has closed the pipe, which
  /// is how `| head` ends and nothing to talk about.
  Status print(std::string_view text) const;
};

}  // namespace kernwatt::app
