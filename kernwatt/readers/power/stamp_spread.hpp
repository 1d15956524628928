// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/readers/power/gpu_rows.hpp"

namespace kernwatt::readers {

/// Readings of one GPU whose times are whole seconds, several to a second: of n readings with one stamp the i-th is
/// placed at stamp + i/n of the step to the next stamp (power.stamps-spread). Where stamps have fractions of a second,
/// or hardly any repeats, nothing is moved. Precondition: the series are sorted by time.
void spread_stamps(GpuRows& rows, QualityLedger& quality);

}  // namespace kernwatt::readers
