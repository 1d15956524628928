// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/run.hpp"
#include "kernwatt/run/trace.hpp"

/// From traces and power logs to joules. The whole of docs/method.md behind one call.
namespace kernwatt::attribution {

/// A time on the command line: since the first launch of the trace, or CLOCK_REALTIME.
struct TimePoint {
  bool relative = true;
  std::int64_t ns = 0;
};

/// Seconds to add to the times of a power log.
struct TimeOffset {
  std::string file;  ///< the log, by its path or last part; empty: all logs
  double seconds = 0;
};

struct AttributeOptions {
  std::optional<double> tokens_per_iteration;  ///< of all GPUs of the job together
  /// Which GPU of the logs, for traces with one GPU: index, UUID or its prefix, PCI bus id.
  std::string gpu_select;
  /// Pairs "TRACE=LOG", separated by commas: which GPU of the traces is which of the logs (docs/cli/attribute.md).
  std::string gpu_map;
  std::vector<TimeOffset> time_offsets;                               ///< logs that are not named are placed by us
  std::optional<TimePoint> from, to;                                  ///< only this stretch is reported
  std::optional<std::pair<std::uint32_t, std::uint32_t>> iterations;  ///< only these, both included, from 0
  bool tile = false;           ///< lay the traced iterations over the steady stretch of the log around them
  bool keep_launches = false;  ///< keep the traces in the Run
};

/// Attributes the energy of the logs to the launches of the traces. Without a log: times only, energies empty.
/// Every loss, guess, repair and doubt is in Run::quality, those of the readers included.
/// Errors: invalid_argument (the GPUs cannot be joined without the user's word, an iteration or time that does not
/// exist), unavailable (--tile without a steady stretch). Pure; any thread.
/// Source: docs/method.md.
Result<run::Run> attribute(std::vector<run::Trace> traces, std::vector<run::PowerLog> logs,
                           const AttributeOptions& options);

}  // namespace kernwatt::attribution
