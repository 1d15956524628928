// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kernwatt::attribution {

/// Carries labels from one sequence of tokens to a similar one: equal tokens in the same order get the same label,
/// insertions and losses of up to a few dozen tokens are stepped over. Tokens without a partner get run::none.
std::vector<std::uint32_t> carry_labels(std::span<const std::uint32_t> from, std::span<const std::uint32_t> labels,
                                        std::span<const std::uint32_t> to);

}  // namespace kernwatt::attribution
