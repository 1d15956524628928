// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/attribution/structure.hpp"

namespace kernwatt::attribution {

/// The computing kernels of one GPU in time order, as indices into Trace::launches. Copies, memsets and communication
/// are left out: they come when the host or other ranks let them, so they would blur the order that a program repeats.
using LaunchSequence = std::vector<std::uint32_t>;

/// One sequence per GPU, and one for launches whose GPU the trace does not tell; empty ones are left out. The order of
/// equal times is the order of the trace. Needs class_category.
std::vector<LaunchSequence> launch_sequences(const run::Trace& trace, const ProgramStructure& structure);

}  // namespace kernwatt::attribution
