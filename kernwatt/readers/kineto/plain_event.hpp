// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernwatt/readers/kineto/event_fields.hpp"

namespace kernwatt::readers::kineto {

enum class ParseOutcome : std::uint8_t {
  parsed,
  skipped,   ///< of no use; phase and category are set, the rest may not be
  irregular  ///< not what this parser understands
};

/// Parses events that have no backslash, no control character in strings and no byte above 0x7f (the scanner tells).
///
/// An event is values with gaps between them: `,\n    "ts": ` is a gap that leads to the value of "ts". A profiler
/// writes the same few sequences of gaps millions of times, so each gap is parsed once and remembered behind the gap
/// that came before it; from then on it is recognised by comparing its bytes. Values that we do not use are skipped,
/// not checked.
class PlainEventParser {
 public:
  PlainEventParser();
  /// The fields' views point into `text`.
  ParseOutcome parse(std::string_view text, EventFields& fields);

 private:
  static constexpr std::size_t longest_gap = 88;
  static constexpr std::uint32_t no_gap = 0xffff'ffffU;
  struct Gap {
    std::array<char, longest_gap> text{};
    std::uint8_t size = 0;
    bool in_arguments = false;  ///< whether the value after it is one of "args"
    bool ends_event = false;
    EventField field = nullptr;
    std::uint32_t first_next = no_gap;  ///< gaps that were seen after its value, the last used one first
    std::uint32_t sibling = no_gap;
  };

  std::uint32_t find_next(std::uint32_t gap, const char* at, const char* end);
  std::uint32_t remember(std::uint32_t before, std::string_view text, const Gap& parsed);

  std::vector<Gap> gaps_;
};

}  // namespace kernwatt::readers::kineto
