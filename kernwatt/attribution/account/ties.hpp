// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/attribution/account/gpu_energy.hpp"

/// Columns that always run together, in the same proportion, can trade power in the fit without any reading noticing.
/// Their sum is known, they are not.
namespace kernwatt::attribution {

/// What the fit knows of each column.
struct ColumnKnowledge {
  std::vector<std::uint32_t> group;  ///< number of the tied group, from 0; run::none for a column known by itself
  std::vector<double> strongest;     ///< strongest |correlation| with another column
  std::vector<std::uint32_t> strongest_with;
  std::uint32_t groups = 0;
};

ColumnKnowledge find_ties(const GpuEnergy& gpu);

}  // namespace kernwatt::attribution
