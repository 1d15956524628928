// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/nearest_name.hpp"

#include <algorithm>
#include <cstddef>

namespace kernwatt::app {
namespace {

/// Optimal string alignment distance. Names are short, so the full table is fine.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest_word = 64;
  if (word.size() > longest_word) return "";
  std::string nearest;
  // Dashes are no letters: of two letters that differ both, nothing is left.
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  std::size_t least = letters < 3 ? 2 : std::max<std::size_t>(2, letters / 3) + 1;
  for (const std::string& name : known) {
    // A beginning is what people type who trust in abbreviations.
    const bool beginning = word.size() >= 3 && name.starts_with(word);
    const std::size_t apart = beginning ? 1 : distance(word, name);
    if (apart >= least) continue;
    least = apart;
    nearest = name;
  }
  return nearest;
}

}  // namespace kernwatt::app
