// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernwatt::attribution {

/// A sequence that comes back: cut at one token (the anchor) that recurs once in each turn.
///
///   … w w | A b c c d | A b c c d | A b x c c d | A b      w: warm-up, x: an extra, the last turn is torn off
///
/// Turns are compared as bags of tokens, so that streams may race each other; what counts is how much of the sequence
/// the typical turn explains.
struct Period {
  std::vector<std::size_t> anchors;  ///< positions of the anchor token
  std::size_t typical = 0;           ///< index into anchors: a turn of median length
  std::size_t length = 0;            ///< tokens in a typical turn
  double agreement = 0;              ///< share of all tokens that the typical turn explains, 0..1
};

/// Empty when no token recurs so that turns explain at least `least_agreement` of the sequence: a program without
/// iterations. Of the periods with at least `shortest` tokens that explain about as much as the best one, the shortest.
/// Tokens are small numbers (class or name indices). Linear in the tokens.
std::optional<Period> find_period(std::span<const std::uint32_t> tokens, std::size_t shortest = 0);

inline constexpr double least_agreement = 0.8;

/// How far two bags of tokens agree: twice the common part by the sum of the sizes. Reuses its memory between calls.
class BagComparison {
 public:
  explicit BagComparison(std::span<const std::uint32_t> reference);
  /// Tokens in common with the reference.
  std::size_t common(std::span<const std::uint32_t> bag);
  double likeness(std::span<const std::uint32_t> bag);
  std::size_t reference_size() const { return size_; }

 private:
  std::vector<std::uint32_t> wanted_;
  std::vector<std::uint32_t> seen_;
  std::size_t size_ = 0;
};

}  // namespace kernwatt::attribution
