// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernwatt/attribution/account/log_merge.hpp"
#include "kernwatt/attribution/account/traced_gpu.hpp"
#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/core/result.hpp"
#include "kernwatt/run/trace.hpp"

/// Which GPU of the traces is which GPU of the logs. The user's word decides first, then identity (UUID, then PCI bus
/// id); where there is only one of each there is nothing to confuse; otherwise the user is asked. An index alone never
/// joins several: a trace counts what the program could see, a log counts what the driver sees.
namespace kernwatt::attribution {

/// GPUs with launches, joined. A GPU that no log can have (all of them name other UUIDs) stays without readings.
/// Errors: invalid_argument: ambiguous (the message has a proposal where power follows work on one GPU only), or one
/// GPU claimed twice at one time.
Result<std::vector<TracedGpu>> join_gpus(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                                         const AttributeOptions& options, QualityLedger& quality);

}  // namespace kernwatt::attribution
