// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/power_report.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// First and last reading of power or energy; empty without any.
struct ReadingSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};
std::optional<ReadingSpan> span_of(const run::GpuPower& gpu);

/// For messages, as the readers say it: "GPU 3 of node1".
std::string label_of(const run::PowerGpu& gpu);

struct GpuAnalysis {
  run::PowerGpu gpu;
  std::vector<run::PowerPhase> phases;
};

/// One GPU over [from, to], which may reach beyond its readings. `gpu` has its identity, its name, and whether that is
/// by file. `timed`: its log has times.
GpuAnalysis analyse_gpu(const run::GpuPower& power, run::PowerGpu gpu, bool timed, std::int64_t from_ns,
                        std::int64_t to_ns, QualityLedger& quality);

}  // namespace kernwatt::attribution
