// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernwatt/attribution/power_log/reading_rhythm.hpp"
#include "kernwatt/run/power_log.hpp"

/// Private to this module.
namespace kernwatt::attribution {

/// The energy counter of one GPU as a curve of joules over time: straight between its steps, level across a reset.
/// The difference over all readings is exactly that of the counter.
class CounterTrack {
 public:
  /// `power_w`: where it has readings, they fill what a reset hides. May be null.
  CounterTrack(const run::Series<std::int64_t>& counter_mj, const run::Series<double>* power_w);

  bool usable() const { return knots_.size() >= 2 && total_j() > 0; }
  std::int64_t start_ns() const { return knots_.front().ns; }
  std::int64_t end_ns() const { return knots_.back().ns; }
  double total_j() const { return knots_.empty() ? 0 : knots_.back().counter_j - knots_.front().counter_j; }
  /// Joules from one moment to another by the counter alone; moments outside its readings count as its ends.
  double counter_j(std::int64_t from_ns, std::int64_t to_ns) const;
  /// The joules by power across resets in the same time.
  double bridged_j(std::int64_t from_ns, std::int64_t to_ns) const;
  std::uint64_t breaks() const { return breaks_; }  ///< resets, and leaps that no board can make
  double uncovered_s() const { return uncovered_s_; }
  std::optional<double> step_j() const { return step_j_; }
  const ReadingRhythm& rhythm() const { return rhythm_; }
  /// What a time is uncertain by, at either end: one update of the counter. In s.
  double resolution_s() const;

  struct Knot {
    std::int64_t ns = 0;
    double counter_j = 0;
    double bridged_j = 0;
  };
  const std::vector<Knot>& knots() const { return knots_; }

 private:
  Knot at(std::int64_t ns) const;
  void add_break(const run::Series<std::int64_t>& counter_mj, std::size_t i, const run::Series<double>* power_w);

  std::vector<Knot> knots_;
  ReadingRhythm rhythm_;
  std::optional<double> step_j_;
  std::uint64_t breaks_ = 0;
  double uncovered_s_ = 0;
};

}  // namespace kernwatt::attribution
