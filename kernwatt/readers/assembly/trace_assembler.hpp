// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/readers/assembly/launch_origin.hpp"
#include "kernwatt/readers/assembly/records.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::readers::assembly {

enum class TimeBase : std::uint8_t {
  base_added,    ///< relative times, made absolute by the document's base
  epoch,         ///< times since the epoch, as they are
  base_ignored,  ///< times since the epoch, and a base that must not be added
  relative       ///< no base: the trace's own zero
};

/// What assembling showed, for the quality ledger.
struct AssemblyFacts {
  OriginCounts origins;
  std::uint64_t duplicates = 0;    ///< exact copies of device events, removed
  std::uint64_t out_of_order = 0;  ///< device events that came before their predecessor in the file's order
  std::uint64_t outside_window = 0;
  std::uint64_t ranges_left_out = 0;
  TimeBase time_base = TimeBase::relative;
};

/// Makes the trace's launches, classes, streams, sites, calls and ranges of the records, which are used up.
AssemblyFacts assemble(Records& records, run::Trace& trace);

}  // namespace kernwatt::readers::assembly
