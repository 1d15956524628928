// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/power_report.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// The sum over the GPUs; partial where a GPU has no energy, or where the indices have holes.
run::PowerTotal total_of(const std::vector<run::PowerGpu>& gpus, bool selected, QualityLedger& quality);

/// Names the GPUs whose readings cover only a part of the total's window.
void report_unequal_windows(const run::PowerReport& report, QualityLedger& quality);

}  // namespace kernwatt::attribution
