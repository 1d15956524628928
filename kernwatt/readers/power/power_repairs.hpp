// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/readers/power/power_table.hpp"

namespace kernwatt::readers {

/// What the whole log says about its numbers.
struct RepairContext {
  bool power_unit_known = false;
  bool exchange_day_and_month = false;  ///< days up to 12 were read as months
  bool may_spread_stamps = true;        ///< not where the recorder repeats samples with their own times
};

/// Puts one GPU's readings in order of time and takes out what cannot be true: powers of 0, below 0 or above any board,
/// lone spikes above the board's limit, outliers of the energy counter, a counter that never moves. A wrong unit is
/// mended where the other sensor shows it. Each of these is an entry of the ledger.
void repair(GpuRows& rows, const RepairContext& context, QualityLedger& quality);

/// Takes out every reading at one time, and the rows without a reading there.
void remove_readings_at(GpuRows& rows, std::int64_t ns);

/// Adds the rows of `other` to `rows`, for rows that turned out to be of one GPU.
void absorb(GpuRows& rows, GpuRows other);

}  // namespace kernwatt::readers
