// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernwatt::attribution {

/// A block that a sequence repeats without a break: tokens[start + i] == tokens[start + i + period], for
/// period · (repeats - 1) values of i at least.
struct Repetition {
  std::size_t start = 0;
  std::size_t period = 0;  ///< 0 when there is none
  std::size_t repeats = 0;
  std::size_t length() const { return period * repeats; }
};

/// The repeated block that covers most of the sequence; among periods that cover as much within a twentieth, the
/// shortest. Blocks have at least two tokens and two repeats. A layer of a network, in the order of its kernels.
/// O(n · number of likely periods), which is bounded.
Repetition find_repetition(std::span<const std::uint32_t> tokens);

/// The longest stretch that repeats with the given period.
Repetition longest_repetition(std::span<const std::uint32_t> tokens, std::size_t period);

}  // namespace kernwatt::attribution
