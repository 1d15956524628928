// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/readers/assembly/trace_assembler.hpp"
#include "kernwatt/readers/nsys/completion.hpp"
#include "kernwatt/readers/nsys/event_tables.hpp"
#include "kernwatt/readers/nsys/session_time.hpp"

namespace kernwatt::readers::nsys {

/// Everything that is known after reading, for the ledger.
struct NsysFacts {
  NsysDatabase& database;
  const EventTables& events;
  const assembly::EventCounts& counts;
  const CompletionFacts& completion;
  const assembly::AssemblyFacts& assembly;
  const SessionTime& time;
};

/// Writes the entries about the trace into its ledger.
void note_quality(const NsysFacts& facts, run::Trace& trace);

}  // namespace kernwatt::readers::nsys
