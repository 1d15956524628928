// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Private to this folder.
namespace kernwatt::report {

/// A series in one line of at most `width` columns, from 0 to `top`: block characters, or ASCII marks without `utf8`.
/// Columns without a value stay blank.
std::string sparkline(const std::vector<std::optional<double>>& values, double top, std::size_t width, bool utf8);

}  // namespace kernwatt::report
