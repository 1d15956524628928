// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/structure.hpp"

namespace kernwatt::attribution {

/// Fills ProgramStructure::model_flops if no matrix product has shapes, and the launches tell both the number of
/// parameters (grids of PyTorch's fused optimizers) and of tokens (grids of kernels with one block per token).
/// Needs class_category, launch_phase, launch_iteration, iterations and launch_flops.
void estimate_model_flops(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality);

}  // namespace kernwatt::attribution
