// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

/// Private to this folder.
namespace kernwatt::report {

/// A bar of block characters, `share` (0 to 1) of `width` columns long, to an eighth of a column. What is there but
/// too short to be drawn is the thinnest bar; 0 is empty.
std::string bar(double share, std::size_t width);

}  // namespace kernwatt::report
