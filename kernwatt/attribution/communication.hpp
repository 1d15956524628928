// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernwatt/attribution/ranks/collective_waits.hpp"
#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::attribution {

/// How much of a collective nothing else hid, and how much of it was waiting for other ranks.
struct ExposedCommunication {
  std::uint32_t launch = 0;             ///< index into Trace::launches
  std::int64_t exposed_ns = 0;          ///< of its duration, without another kernel on the same GPU
  std::int64_t waiting_ns = 0;          ///< of its duration, before the last rank came; 0 where that is not known
  std::int64_t exposed_waiting_ns = 0;  ///< of waiting_ns
};

struct CommunicationOverlap {
  std::int64_t comm_ns = 0;  ///< durations of the communication kernels, summed
  /// Time in which a communication kernel and a kernel of another kind ran on one GPU, summed over the GPUs. Time that
  /// several collectives share counts once.
  std::int64_t overlapped_ns = 0;
  std::optional<std::int64_t> waiting_ns;      ///< durations spent waiting; empty without other ranks to tell
  std::vector<ExposedCommunication> launches;  ///< every communication kernel, in launch order
};

/// Splits communication into exposed and overlapped time. Copies hide nothing: the arithmetic units idle meanwhile.
/// @param class_category  ProgramStructure::class_category of the same trace
/// @param waits           of the same trace, by launch (ranks/collective_waits.hpp); empty without other ranks
CommunicationOverlap communication_overlap(const run::Trace& trace, const std::vector<Category>& class_category,
                                           const std::vector<CollectiveWait>& waits = {});

}  // namespace kernwatt::attribution
