// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/power_report.hpp"

namespace kernwatt::attribution {

/// A moment of the logs: since the epoch, or since the first reading of any of them.
struct LogTime {
  bool relative = false;
  std::int64_t ns = 0;
};

struct PowerOptions {
  std::optional<LogTime> from;  ///< only this stretch, both ends interpolated
  std::optional<LogTime> to;
  std::string gpu_select;  ///< index, UUID or its beginning, or PCI bus id; several with commas; empty: all
};

/// What the logs say by themselves: how good the readings are, the energy of each GPU by counter and by integral, and
/// its phases of steady power. Each physical GPU counts once over all logs. Doubts that only this analysis can find go
/// into the ledger (docs/formats.md); those of single logs are readers::summarise's.
/// Errors: invalid_argument for a GPU that is not in the logs, or a stretch outside of them.
/// Source: docs/method.md, "A power log by itself". Pure; any thread.
Result<run::PowerReport> analyse_power(const std::vector<run::PowerLog>& logs, const PowerOptions& options,
                                       QualityLedger& quality);

}  // namespace kernwatt::attribution
