// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernwatt/run/comparison.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::attribution {

/// Rows of one name and shape, on however many GPUs, as one: sums with their variances.
struct SideRow {
  std::string name;
  std::string detail;
  std::string category;
  double launches = 0;
  double time_s = 0;
  std::optional<double> time_variance_s2;
  std::optional<double> energy_j;
  std::optional<double> energy_variance_j2;
  std::optional<double> share;
};

/// How many iterations the figures of a Run stand for: more than were counted where launches lie outside of them, fewer
/// for energies where the readings cover a part of the trace.
struct Divisors {
  double energy = 1;
  double time = 1;
};

/// One Run, as the comparison looks at it.
class ComparedSide {
 public:
  explicit ComparedSide(const run::Run& run);
  const run::Run& run() const { return run_; }
  run::ComparedRun summary(const std::string& file) const;
  /// Empty without iterations.
  std::optional<Divisors> iterations() const;
  std::optional<double> tokens_per_iteration() const;
  std::optional<double> recording_s() const;
  /// Rows of a view in their order, those of one name and shape together. Idle and unattributed are rows of the phases.
  std::vector<SideRow> rows(run::View view) const;

 private:
  double covered_part() const;
  void add(SideRow& sum, const run::Row& row) const;
  std::string category_of(const run::Row& row) const;

  const run::Run& run_;
  std::unordered_map<std::uint32_t, const run::Row*> row_;
  std::unordered_map<std::uint32_t, double> time_variance_;  ///< of a row's summed durations, s²
};

}  // namespace kernwatt::attribution
