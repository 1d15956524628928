// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/launch_sequence.hpp"

namespace kernwatt::attribution {

/// Which pass the layers are looked for in.
enum class Direction : std::uint8_t {
  onward,  ///< forward, prefill, decode, compute: layer 0 comes first
  back     ///< backward: layer 0 comes last
};

struct LayersByOrder {
  std::uint32_t count = 0;           ///< layers found; 0 when no pass repeats a block
  std::uint64_t launches = 0;        ///< kernels that got a layer
  std::uint64_t passes = 0;          ///< passes seen
  std::uint64_t passes_without = 0;  ///< of them, passes in which no layers were found
};

/// Numbers the repeated blocks of each pass 0, 1, … in launch_layer. A pass is a stretch of one phase in one iteration
/// of one GPU. Passes that differ from the commonest (an extra kernel, another batch) are laid beside it. For
/// Direction::back only blocks that come exactly `expected_count` times are taken.
LayersByOrder number_layers_by_order(const run::Trace& trace, std::span<const LaunchSequence> sequences,
                                     Direction direction, std::uint32_t expected_count, ProgramStructure& structure);

}  // namespace kernwatt::attribution
