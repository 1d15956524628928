// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/attribution/account/gpu_energy.hpp"
#include "kernwatt/run/attribution.hpp"

namespace kernwatt::attribution {

/// Relative half-width of a class's power for what repeated windows cannot show: the sensor's response to this kind of
/// load, data-dependent power, the model. Fitted to trials with known parts (docs/method.md, "Intervals").
inline constexpr double systematic_half_width = 0.037;

/// Cells of one key make one row of the view phase.
inline std::uint64_t phase_key(const CellKey& key) {
  return static_cast<std::uint64_t>(key.phase) * 4 + (key.waiting ? 2 : 0) + (key.overlapped ? 1 : 0);
}

/// Adds the rows of all views of one GPU, the ties, and the explanations. Row ids continue from what is there.
/// `gpu_number`: position in Attribution::gpus.
void add_rows(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number, run::Attribution& attribution);

/// Adds the rows of the view iteration; returns the energies of the whole iterations inside the window, joules.
std::vector<double> add_iteration_rows(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number,
                                       run::Attribution& attribution);

}  // namespace kernwatt::attribution
