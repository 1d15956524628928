// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// Puts each log on the clock of the traces, as a whole: its GPUs share one clock. Both are real time when all is well;
/// a log in local time is off by whole (or half) hours, which the traces show; anything else must come from the user
/// or, where work and power follow each other clearly, from comparing the two.
namespace kernwatt::attribution {

/// Shifts the times of the logs. What was added, and how it was found, is in `quality`. Logs that cannot be placed keep
/// their times. Errors: invalid_argument (an offset for a log that is not there).
Status align_logs(const std::vector<run::Trace>& traces, std::vector<run::PowerLog>& logs,
                  const AttributeOptions& options, QualityLedger& quality);

}  // namespace kernwatt::attribution
