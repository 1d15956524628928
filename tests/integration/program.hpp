// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kernwatt {

struct Ended {
  int status = -1;     ///< exit status; 128 + signal when a signal ended it
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs the built kernwatt with these words, without a shell, and waits for its end.
Ended run_kernwatt(const std::vector<std::string>& words);

/// Runs a shell command in which $KERNWATT is the program: for pipes and redirections.
Ended run_shell(const std::string& command);

}  // namespace kernwatt
