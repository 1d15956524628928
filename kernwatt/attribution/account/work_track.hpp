// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// When a GPU worked, as far as a trace says, to lay a power log beside it before anything is known of the log's clock
/// or of which GPU is which.
namespace kernwatt::attribution {

class WorkTrack {
 public:
  /// Precondition: the GPU has launches.
  WorkTrack(const run::Trace& trace, std::uint32_t gpu);

  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }

  /// Correlation of a power series, `shift_ns` added to its times, with the work done shortly before each reading; -1
  /// when fewer than `enough` readings fall into the trace or either never changes.
  double correlation(const run::Series<double>& power, std::int64_t shift_ns, std::size_t enough = 8) const;
  /// Mean power over the trace, or 0 without readings there: where the work never pauses, only the level tells.
  double mean_power(const run::Series<double>& power, std::int64_t shift_ns) const;

 private:
  double busy(std::int64_t from_ns, std::int64_t to_ns) const;

  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t bin_ns_ = 10'000'000;
  std::vector<double> busy_ns_;  // up to the start of each bin
};

/// One for each GPU with launches of each trace.
struct TracedWork {
  std::uint32_t trace = 0;
  std::uint32_t gpu = 0;
  WorkTrack work;
};
std::vector<TracedWork> work_of(const std::vector<run::Trace>& traces);

/// The power series that follows the work most closely; null when there is none.
const run::Series<double>* quickest_power(const run::GpuPower& power);

}  // namespace kernwatt::attribution
