// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/structure.hpp"

namespace kernwatt::attribution {

/// Fills launch_flops, launches_without_flops, class_flops, layer_flops and operator_flops. Each operator call counts
/// once, for the longest of its matrix products or attention kernels, so that split-K sums and other helpers get none.
/// A class, layer or operator with a matrix product of unknown shape has no figure. Needs class_category,
/// launch_layer and launch_operator.
void count_flops(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality);

}  // namespace kernwatt::attribution
