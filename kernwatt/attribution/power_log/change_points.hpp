// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

/// Private to this module.
namespace kernwatt::attribution {

/// A run of bins of one level.
struct LevelRun {
  std::size_t first = 0;
  std::size_t last = 0;  ///< one after the last bin
  double mean = 0;
  double spread = 0;                  ///< standard deviation of the bins within
  std::optional<double> period_bins;  ///< when several levels take turns within
};

/// How much two levels differ, in units of what matters to a reader; less than 1 is one level.
double level_contrast(double a, double b, double range, double spread);

/// Cuts a series into runs of constant level: exact optimal partitioning with pruning (PELT: Killick, Fearnhead,
/// Eckley, JASA 107, 2012), squared error plus a penalty per cut that follows the noise between neighbouring bins. Then
/// neighbours that differ by less than matters are joined, and levels that take turns again and again become one
/// run with a period. No run is shorter than `shortest` bins, unless all bins are one.
std::vector<LevelRun> level_runs(const std::vector<double>& bins, std::size_t shortest, double bin_s);

}  // namespace kernwatt::attribution
