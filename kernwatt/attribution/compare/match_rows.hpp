// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/attribution/compare/compared_side.hpp"
#include "kernwatt/run/comparison.hpp"

namespace kernwatt::attribution {

/// A row of one side and the row of the other that it became. One of the two may be missing.
struct RowPair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  run::Match match = run::Match::same;
};

/// Kernel classes: by name and shape; then, of what is left, by name alone, by name without running numbers, and by
/// role (category, launches, about the same share). Each of these only where there is no choice on either side, or
/// where the number of launches leaves one. `launches_ratio`: launches of the second per launch of the first, when
/// the same was run (from the divisors).
std::vector<RowPair> match_classes(const std::vector<SideRow>& before, const std::vector<SideRow>& after,
                                   double launches_ratio);

/// Other views: by name. Layers of which not one name is in both are matched in their order, if they are as many.
std::vector<RowPair> match_named(run::View view, const std::vector<SideRow>& before, const std::vector<SideRow>& after);

/// "triton_poi_fused_mul_2" -> "triton_poi_fused_mul_#": without the numbers that a code generator counts up. Other
/// names come back as they are: digits that say a size are part of a name.
std::string without_running_numbers(std::string_view name);

}  // namespace kernwatt::attribution
