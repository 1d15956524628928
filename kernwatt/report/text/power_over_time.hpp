// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// Power over the window that was accounted for, as a line of block characters of at most `columns`, and from where to
/// where it goes. Of the first GPU with readings; empty without any.
std::string power_over_time(const run::Run& run, std::size_t columns);

}  // namespace kernwatt::report
