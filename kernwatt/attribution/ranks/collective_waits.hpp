// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/trace.hpp"

/// A collective's kernel runs from when its own rank comes until the data has moved, and the data moves only when the
/// last rank has come. So with the traces of several ranks, the time before the last start is waiting: energy that a
/// slower neighbour costs, not the network.
namespace kernwatt::attribution {

/// Of one communication launch: how long it waited for the other ranks. The wait comes first.
struct CollectiveWait {
  std::uint32_t launch = 0;  ///< index into Trace::launches
  std::int64_t waiting_ns = 0;
};

struct CollectiveWaits {
  /// For each trace, by launch; launches that no other rank's match are not in it.
  std::vector<std::vector<CollectiveWait>> of_trace;
  bool any = false;
};

/// Matches the collectives of all GPUs of all traces by kind and end: all ranks of a collective end together. Traces
/// without absolute times take no part; clocks of different hosts may differ, which the ends show too.
/// @param structures  one per trace
CollectiveWaits find_waits(const std::vector<run::Trace>& traces, const std::vector<ProgramStructure>& structures,
                           QualityLedger& quality);

}  // namespace kernwatt::attribution
