// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/sequence_alignment.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernwatt/run/names.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::size_t most_tokens_skipped = 48;
constexpr std::size_t tokens_to_agree = 3;  // after a skip, so that it is not chance

bool agree(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const std::size_t n = std::min({tokens_to_agree, a.size(), b.size()});
  return n > 0 && std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin());
}

// The smallest number of tokens to skip on both sides together after which the sequences agree again.
std::optional<std::pair<std::size_t, std::size_t>> resynchronise(std::span<const std::uint32_t> a,
                                                                 std::span<const std::uint32_t> b) {
  for (std::size_t total = 1; total <= most_tokens_skipped; ++total) {
    for (std::size_t skip_a = 0; skip_a <= total; ++skip_a) {
      const std::size_t skip_b = total - skip_a;
      if (skip_a >= a.size() || skip_b >= b.size()) continue;
      if (agree(a.subspan(skip_a), b.subspan(skip_b))) return std::pair{skip_a, skip_b};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::uint32_t> carry_labels(std::span<const std::uint32_t> from, std::span<const std::uint32_t> labels,
                                        std::span<const std::uint32_t> to) {
  std::vector<std::uint32_t> carried(to.size(), run::none);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] == to[j]) {
      carried[j++] = labels[i++];
      continue;
    }
    const auto skip = resynchronise(from.subspan(i), to.subspan(j));
    if (!skip) break;
    i += skip->first;
    j += skip->second;
  }
  return carried;
}

}  // namespace kernwatt::attribution
