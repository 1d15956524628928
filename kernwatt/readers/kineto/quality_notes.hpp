// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernwatt/readers/assembly/trace_assembler.hpp"
#include "kernwatt/readers/kineto/document_splitter.hpp"
#include "kernwatt/readers/kineto/metadata.hpp"

namespace kernwatt::readers::kineto {

using namespace assembly;

/// Events that could not be parsed, even after repair.
struct BrokenEvents {
  std::uint64_t count = 0;
  Place first;                 ///< where the first one stops being JSON
  std::string first_expected;  ///< what should have been there
};

/// Everything that is known after reading, for the ledger.
struct ReadingFacts {
  const DocumentFacts& document;
  const Metadata& metadata;
  const EventCounts& counts;
  const AssemblyFacts& assembly;
  const BrokenEvents& broken;
};

/// "line 12, byte 3456"
std::string describe(const Place& place);

/// Writes the entries about the trace into its ledger.
void note_quality(const ReadingFacts& facts, run::Trace& trace);

}  // namespace kernwatt::readers::kineto
