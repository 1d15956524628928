// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/iteration_start.hpp"

namespace kernwatt::attribution {

/// Layers of one pass repeat like iterations do. Why the turns must be layers rather than iterations; empty if nothing
/// speaks against iterations: one operator call or one replayed graph spans several turns; the turns lie in layers of
/// different names; what a program does once in an iteration (embedding, loss, sampling, optimizer) lies outside them.
std::string_view why_turns_are_layers(const run::Trace& trace, const ProgramStructure& structure,
                                      std::span<const std::uint32_t> sequence, const Turns& turns);

}  // namespace kernwatt::attribution
