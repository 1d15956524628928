// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/account/gpu_energy.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::attribution {

/// Adds what later steps need without the launches: the classes with their features, the observation of each at the
/// run's clocks, the covariance of their powers, and one canonical iteration. Class indices continue from what is
/// there; `first_row` is the first attribution row of this GPU.
void add_facts(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row, run::Run& run);

}  // namespace kernwatt::attribution
