// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/iteration_period.hpp"

namespace kernwatt::attribution {

/// Turns of a period, cut where the program begins an iteration rather than where the anchor happens to lie.
struct Turns {
  std::vector<std::size_t> starts;  ///< positions in the sequence
  std::size_t typical = 0;          ///< index into starts
  std::size_t length = 0;           ///< tokens in a typical turn
};

/// An iteration begins after the optimizer; without one, at the embedding look-up; without that, behind the longest
/// gap, where the host prepares the next step. `tokens` are what the period was found in, one for each launch of
/// `sequence`.
Turns turns_of_program(const run::Trace& trace, const ProgramStructure& structure,
                       std::span<const std::uint32_t> sequence, std::span<const std::uint32_t> tokens,
                       const Period& period);

}  // namespace kernwatt::attribution
