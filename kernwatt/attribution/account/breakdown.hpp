// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/attribution/account/gpu_energy.hpp"
#include "kernwatt/run/attribution.hpp"

namespace kernwatt::attribution {

/// Adds how the views of this GPU cross, and when its phases and iterations ran. Call it when all rows of the GPU are
/// there; `first_row` is the position of the first of them.
void add_breakdown(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row,
                   run::Attribution& attribution);

}  // namespace kernwatt::attribution
