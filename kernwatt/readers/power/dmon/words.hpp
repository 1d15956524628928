// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace kernwatt::readers {

/// The words of a row: between commas where it has any, else between blanks.
std::vector<std::string_view> words_of_row(std::string_view line);

}  // namespace kernwatt::readers
