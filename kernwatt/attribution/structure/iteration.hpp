// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/launch_sequence.hpp"

namespace kernwatt::attribution {

/// Fills iterations, launch_iteration and iterations_found_by: from the trace's marks, else from the period of the
/// launch sequence, which is a guess and noted in `quality`. Spans follow each other on the device: an iteration ends
/// where the next one's first launch starts. Needs class_category.
void find_iterations(const run::Trace& trace, std::span<const LaunchSequence> sequences, ProgramStructure& structure,
                     QualityLedger& quality);

}  // namespace kernwatt::attribution
