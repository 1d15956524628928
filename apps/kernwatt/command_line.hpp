// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/kernwatt/command.hpp"

namespace kernwatt::app {

/// Parses the words after the program's name, runs what they ask for, and refuses what it does not understand with the
/// nearest name that it does. Errors: invalid_argument, and those of the commands.
Result<Outcome> run_command_line(std::vector<std::string> words, const Console& console);

}  // namespace kernwatt::app
