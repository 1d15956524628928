// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernwatt::app {

/// The known name that was most likely meant by `word` (few letters added, lost, changed or swapped); empty when none
/// is near.
std::string nearest_name(std::string_view word, const std::vector<std::string>& known);

}  // namespace kernwatt::app
