// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/account/gpu_energy.hpp"

namespace kernwatt::attribution {

/// --tile: a short trace inside a long log of the same steady work. Finds the stretch of the log around the trace in
/// which power stays as it is in the trace, and lays the traced launches over it: energies are those of the whole
/// stretch. Everything that comes out is marked as tiled.
/// Errors: unavailable when no stretch longer than the trace is alike.
Status lay_over_log(GpuEnergy& gpu, const run::GpuPower& power, const Measurement& measurement, QualityLedger& quality);

}  // namespace kernwatt::attribution
