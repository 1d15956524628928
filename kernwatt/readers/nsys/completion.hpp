// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/readers/assembly/records.hpp"
#include "kernwatt/readers/nsys/event_tables.hpp"
#include "kernwatt/readers/nsys/gpu_table.hpp"

namespace kernwatt::readers::nsys {

/// What completing the records showed, for the quality ledger.
struct CompletionFacts {
  std::uint64_t processes = 0;
  std::uint64_t gpus_by_number = 0;    ///< GPUs found by their number alone
  std::uint64_t gpus_unknown = 0;      ///< devices that the file does not describe
  std::uint64_t shared_numbers = 0;    ///< device numbers that several processes use, without a word on which GPU it is
  std::uint64_t events_of_nobody = 0;  ///< device events whose process is not known, in a file with several processes
  std::uint64_t marks_left_out = 0;    ///< iteration marks of other threads and other counts
};

/// What can be said only when all tables were read: which GPU each stream is on, correlation ids that are unique over
/// all processes, and which ranges mark the iterations.
CompletionFacts complete(const EventTables& events, const GpuTable& gpus, assembly::Records& records);

}  // namespace kernwatt::readers::nsys
