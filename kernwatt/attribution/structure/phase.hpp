// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/structure.hpp"

namespace kernwatt::attribution {

/// Fills ProgramStructure::launch_phase and data_loading. Needs class_category. In this order: communication and
/// copies over the bus by their class; the enclosing ranges; autograd's thread; the operator; then guesses, which are
/// noted in `quality`: in training, what has no mark is forward; without any mark, names of kernels tell the passes.
void find_phases(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality);

}  // namespace kernwatt::attribution
