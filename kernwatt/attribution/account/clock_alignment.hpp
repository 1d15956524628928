// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernwatt/attribution/account/gpu_join.hpp"
#include "kernwatt/attribution/power/timeline.hpp"
#include "kernwatt/core/quality_ledger.hpp"

/// Between the clock of the trace and the clock of the log. Both are real time when all is well; a log in local time is
/// off by whole (or half) hours; anything else must come from the user.
namespace kernwatt::attribution {

/// Nanoseconds to add to the log's times. Empty when the two cannot be brought together; the ledger says why.
/// `given_s`: the user's own offset, taken as it is.
std::optional<std::int64_t> align_clocks(const run::Trace& trace, const Timeline& timeline, const LoggedGpu& logged,
                                         std::optional<double> given_s, QualityLedger& quality);

/// Adds `ns` to every time of the log.
void shift_times(run::GpuPower& power, std::int64_t ns);

}  // namespace kernwatt::attribution
