// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// Which GPU of the traces is which GPU of the logs. Identity decides (UUID, then PCI bus id); where there is only one
/// of each there is nothing to confuse; otherwise the user is asked. An index alone never joins several: a trace
/// counts what the program could see, a log counts what the driver sees.
namespace kernwatt::attribution {

/// All readings of one physical GPU, from however many logs.
struct LoggedGpu {
  run::GpuPower power;
  run::TimeBasis basis = run::TimeBasis::absolute;
  std::string name;  ///< for messages and reports: UUID, PCI bus id, index or "the log's GPU"
};

/// One GPU as one trace sees it.
struct TracedGpu {
  std::uint32_t trace = 0;           ///< index into the traces
  std::uint32_t gpu = 0;             ///< index into Trace::gpus
  std::uint32_t logged = run::none;  ///< index into the logged GPUs; none when no log has it
};

/// Readings of one GPU from several logs come together; a sensor that two logs hold is taken from the denser one.
std::vector<LoggedGpu> merge_logs(const std::vector<run::PowerLog>& logs, QualityLedger& quality);

/// GPUs with launches, joined. `select`: AttributeOptions::gpu_select.
Result<std::vector<TracedGpu>> join_gpus(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                                         const std::string& select, QualityLedger& quality);

}  // namespace kernwatt::attribution
