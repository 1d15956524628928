// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/run/power_log.hpp"

/// Whether two sets of readings can be of one GPU.
namespace kernwatt::attribution {

/// Whether both have readings of power or energy at the same times.
bool overlap(const run::GpuPower& a, const run::GpuPower& b);

/// Whether readings of the same sensor over the same time cannot be of one GPU: energy counters that stand at different
/// values, or powers that differ. False where they share no sensor or no time.
bool contradicts(const run::GpuPower& a, const run::GpuPower& b);

}  // namespace kernwatt::attribution
