// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>

#include "kernwatt/attribution/account/gpu_energy.hpp"

namespace kernwatt::attribution {

/// A sum of cells as a linear function of the fit's parameters: energy, and its variance with all correlations.
class EnergySum {
 public:
  void add(const LaunchCell& cell) {
    launches += cell.launches;
    time_s += cell.time_s;
    flops_unknown = flops_unknown || cell.flops_unknown;
    flops += cell.flops;
    if (!cell.key.covered) return;
    covered_s += cell.owned_s;
    covered_time_s += cell.time_s;
    clock_s += cell.clock_s;
    covered_flops += cell.flops;
    auto& column = columns_[cell.key.column];
    column.first += cell.owned_s;
    column.second += cell.clock_s;
  }

  double joules(const PowerFit& fit) const;
  /// Of the fit alone, J²; the systematic part is added by the caller.
  double variance(const PowerFit& fit) const;
  /// At the reference clock instead of the run's.
  double joules_at_reference(const PowerFit& fit) const;
  double variance_at_reference(const PowerFit& fit) const;

  double launches = 0, time_s = 0;           ///< all that was selected
  double covered_s = 0, covered_time_s = 0;  ///< inside the stretch whose energy is known: owned time, durations
  double clock_s = 0;                        ///< integral of ln(f / f_max) over covered_s
  double flops = 0, covered_flops = 0;
  bool flops_unknown = false;

  const std::map<std::uint32_t, std::pair<double, double>>& columns() const { return columns_; }

 private:
  double quadratic(const PowerFit& fit, bool with_clock) const;
  std::map<std::uint32_t, std::pair<double, double>> columns_;  ///< seconds and clock-weighted seconds of each column
};

}  // namespace kernwatt::attribution
