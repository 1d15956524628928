// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/attribution.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// One summary per GPU of the log, in its order.
///   samples, missing  rows with and without a reading of the sensor that the energy is from (of the counter, when the
///                     log has no power)
///   energy_j          trapezoid over the whole log of power.draw, else instant, average, the driver's samples
///   energy_counter_j  sum of the counter's monotone runs; empty when it never moves while power is drawn
/// Energies are empty for fewer than two readings, or when all carry one time. Doubts go into the ledger, with the
/// numbers that show them: power.counter-mismatch, power.counter-frozen, power.counter-reset, power.counter-unit,
/// power.counter-resolution, power.sensor-stuck, power.sensor-used, power.slow-sensor, power.gap, power.no-time-span,
/// power.single-reading, power.gpu-without-power (docs/formats.md). Pure; any thread.
std::vector<run::PowerSummary> summarise(const run::PowerLog& log, QualityLedger& quality);

}  // namespace kernwatt::readers
