// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/attribution/power_log/power_curve.hpp"
#include "kernwatt/run/power_log.hpp"

/// Private to this module.
namespace kernwatt::attribution {

struct SteadyPhase {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  double level_w = 0;
  std::optional<double> period_s;
};

/// Stretches of steady power from `from_ns` to `to_ns`, without names. `update_s`: how often the curve changes.
std::vector<SteadyPhase> steady_phases(const PowerCurve& curve, std::int64_t from_ns, std::int64_t to_ns,
                                       double update_s, double gap_s);

/// Names them by level and order (docs/cli/power.md): "idle", "warm-up", "work", "pause", "cool-down"; "steady" when
/// there is one level only. `sm_mhz`: clocks tell a waiting board from one at work, where the log has them.
void name_phases(std::vector<SteadyPhase>& phases, const run::Series<double>& sm_mhz,
                 std::optional<double> power_limit_w);

}  // namespace kernwatt::attribution
