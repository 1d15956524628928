// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kernwatt::run {

/// Whether power readings, usually `poll_s` apart, are too few for the integral between them to be an energy: fewer
/// than three, or a handful of which each stands for many seconds that nobody saw. A counter needs no such rule.
constexpr bool too_few_for_energy(std::size_t readings, double poll_s) {
  constexpr std::size_t fewest = 3;
  constexpr std::size_t handful = 10;
  constexpr double far_apart_s = 10;
  return readings < fewest || (readings < handful && poll_s > far_apart_s);
}

}  // namespace kernwatt::run
