// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/power_log.hpp"

/// One physical GPU may stand in several logs: a file of samples beside one of counters, one file after the other.
namespace kernwatt::attribution {

/// All readings of one physical GPU, from however many logs.
struct LoggedGpu {
  run::GpuPower power;
  run::TimeBasis basis = run::TimeBasis::absolute;
  std::string name;  ///< for messages and reports: the best of UUID, PCI bus id and index, with the host or the file
                     ///< where these alone would be ambiguous
  std::vector<std::string> files;  ///< that its readings are from
};

/// Brings the readings of each GPU together; a sensor that two logs hold is taken from the denser one. Times must be on
/// one clock already (log_clock.hpp). Equal indices of logs that name no host are one GPU unless their readings
/// contradict each other, or `map` (AttributeOptions::gpu_map) names their files apart.
std::vector<LoggedGpu> merge_logs(const std::vector<run::PowerLog>& logs, QualityLedger& quality,
                                  std::string_view map = {});

}  // namespace kernwatt::attribution
