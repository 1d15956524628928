// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/repetition.hpp"

namespace kernwatt::attribution {

/// A stretch of one phase in one iteration: launches and what they are for, both of the same length.
struct Pass {
  std::span<const std::uint32_t> launches;
  std::span<const std::uint32_t> tokens;
};

/// How the tokens of a pass are numbered: by layer, or run::none.
struct Numbering {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> layer_of_token;
};

/// Finds the block that a pass repeats and numbers its repeats: the layers of a network.
///
///   e | L A M | L A M | L A x M | L A M | L h        x, an extra kernel, is stepped over; e and h are in no layer
///     |   0   |   1   |    2    |   3   |
class BlockNumbering {
 public:
  /// @param backwards  the last layer comes first
  BlockNumbering(const run::Trace& trace, const ProgramStructure& structure, bool backwards)
      : trace_(trace), structure_(structure), backwards_(backwards) {}

  /// count is 0 if no block repeats often enough and over most of the pass, or if it multiplies no matrices.
  Numbering number(const Pass& pass) const;

 private:
  Category category(std::uint32_t launch) const;
  bool does_real_work(std::span<const std::uint32_t> block) const;
  std::vector<std::int64_t> parts_of(std::span<const std::uint32_t> launches,
                                     std::span<const std::uint32_t> tokens) const;
  std::size_t most_likely_begin(std::span<const std::uint32_t> choices) const;

  const run::Trace& trace_;
  const ProgramStructure& structure_;
  bool backwards_;
};

}  // namespace kernwatt::attribution
