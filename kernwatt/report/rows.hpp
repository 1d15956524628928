// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "kernwatt/run/attribution.hpp"

/// Private to this folder.
namespace kernwatt::report {

bool has_flag(const run::Row& row, std::string_view flag);

/// The rows of one view in the order in which people read them: largest energy first (longest time where there is no
/// energy), iterations in the order of the program. Pointers live as long as the attribution.
std::vector<const run::Row*> rows_of_view(const run::Attribution& attribution, run::View view);

}  // namespace kernwatt::report
