// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/repetition.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kernwatt::attribution {
namespace {

constexpr std::size_t most_periods_tried = 24;

// Distances between equal neighbours, the commonest first. In a repeating stretch every token that occurs once in the
// block has the period as its distance, so the period is among them.
std::vector<std::size_t> likely_periods(std::span<const std::uint32_t> tokens) {
  std::unordered_map<std::uint32_t, std::size_t> last;
  std::unordered_map<std::size_t, std::size_t> count;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [place, first_time] = last.try_emplace(tokens[i], i);
    if (first_time) continue;
    ++count[i - place->second];
    place->second = i;
  }
  std::vector<std::pair<std::size_t, std::size_t>> by_weight;  // a long block has as many tokens, but fewer repeats
  for (const auto& [distance, times] : count) by_weight.emplace_back(times * distance, distance);
  std::sort(by_weight.rbegin(), by_weight.rend());
  std::vector<std::size_t> periods;
  for (const auto& [weight, distance] : by_weight) {
    if (distance >= 2 && distance <= tokens.size() / 2) periods.push_back(distance);
    if (periods.size() == most_periods_tried) break;
  }
  std::sort(periods.begin(), periods.end());
  return periods;
}

}  // namespace

Repetition longest_repetition(std::span<const std::uint32_t> tokens, std::size_t period) {
  Repetition best;
  if (period == 0 || tokens.size() < 2 * period) return best;
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i + period < tokens.size(); ++i) {
    run = tokens[i] == tokens[i + period] ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      best.start = i + 1 - run;
    }
  }
  const std::size_t repeats = (longest + period) / period;
  if (repeats < 2) return {};
  best.period = period;
  best.repeats = repeats;
  return best;
}

Repetition find_repetition(std::span<const std::uint32_t> tokens) {
  Repetition best;
  for (const std::size_t period : likely_periods(tokens)) {
    const Repetition found = longest_repetition(tokens, period);
    if (found.repeats < 2) continue;
    const auto first = tokens.subspan(found.start, period);
    if (std::all_of(first.begin(), first.end(), [&](std::uint32_t token) { return token == first[0]; })) continue;
    if (20 * found.length() > 21 * best.length()) best = found;
  }
  return best;
}

}  // namespace kernwatt::attribution
