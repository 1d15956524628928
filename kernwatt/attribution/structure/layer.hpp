// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/launch_sequence.hpp"

namespace kernwatt::attribution {

/// Fills layer_names and launch_layer from the names of enclosing ranges; leaves both without layers if none name them.
void find_named_layers(const run::Trace& trace, ProgramStructure& structure);

/// Adds what names do not tell: without any, the layers are the blocks of kernels that a pass repeats (a guess, noted
/// in `quality`). The backward pass takes its layers from autograd's sequence numbers, else from its own repetition,
/// which runs from the last layer to the first. Embedding, loss, head and optimizer have no layer. Needs
/// find_named_layers, class_category, launch_phase and launch_iteration.
void find_layers(const run::Trace& trace, std::span<const LaunchSequence> sequences, ProgramStructure& structure,
                 QualityLedger& quality);

}  // namespace kernwatt::attribution
