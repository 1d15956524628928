// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/iteration_period.hpp"

#include <algorithm>
#include <map>

namespace kernwatt::attribution {
namespace {

constexpr std::size_t fewest_turns = 3;
constexpr std::size_t fewest_tokens_in_turn = 3;
constexpr std::size_t most_anchors_tried = 16;
constexpr std::size_t most_tokens_searched = std::size_t{1} << 20;
// Two periods explain equally well if they differ by less: then the shorter is the iteration, the longer a multiple.
constexpr double equal_agreement = 0.01;

// Where a token occurs and how regular that is.
struct Recurrence {
  std::uint32_t token = 0;
  std::uint64_t count = 0;
  std::size_t last = 0;
  double sum = 0;
  double sum_of_squares = 0;

  void see(std::size_t position) {
    if (count > 0) {
      const auto distance = static_cast<double>(position - last);
      sum += distance;
      sum_of_squares += distance * distance;
    }
    last = position;
    ++count;
  }
  /// Squared coefficient of variation of the distances.
  double irregularity() const {
    const auto n = static_cast<double>(count - 1);
    const double mean = sum / n;
    return (sum_of_squares / n - mean * mean) / (mean * mean);
  }
  double mean_distance() const { return sum / static_cast<double>(count - 1); }
};

// The most regular token for each number of occurrences: tokens that come once in each turn share it.
std::vector<Recurrence> likely_anchors(std::span<const std::uint32_t> tokens) {
  std::vector<Recurrence> recurrences;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= recurrences.size()) recurrences.resize(tokens[i] + 1);
    recurrences[tokens[i]].token = tokens[i];
    recurrences[tokens[i]].see(i);
  }
  std::map<std::uint64_t, Recurrence> best;
  for (const Recurrence& r : recurrences) {
    if (r.count < fewest_turns || r.mean_distance() < static_cast<double>(fewest_tokens_in_turn)) continue;
    const auto [place, is_new] = best.try_emplace(r.count, r);
    if (!is_new && r.irregularity() < place->second.irregularity()) place->second = r;
  }
  std::vector<Recurrence> anchors;
  for (const auto& [count, r] : best) anchors.push_back(r);
  std::sort(anchors.begin(), anchors.end(),
            [](const Recurrence& a, const Recurrence& b) { return a.irregularity() < b.irregularity(); });
  if (anchors.size() > most_anchors_tried) anchors.resize(most_anchors_tried);
  return anchors;
}

Period cut_at(std::span<const std::uint32_t> tokens, std::uint32_t anchor) {
  Period period;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == anchor) period.anchors.push_back(i);
  }
  std::vector<std::size_t> lengths;
  for (std::size_t j = 0; j + 1 < period.anchors.size(); ++j) {
    lengths.push_back(period.anchors[j + 1] - period.anchors[j]);
  }
  std::vector<std::size_t> sorted = lengths;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  period.length = *middle;
  // The one in the middle of the run is the farthest from warm-up and from the torn end.
  std::vector<std::size_t> typical;
  for (std::size_t j = 0; j < lengths.size(); ++j) {
    if (lengths[j] == period.length) typical.push_back(j);
  }
  period.typical = typical[typical.size() / 2];
  return period;
}

double agreement_of(std::span<const std::uint32_t> tokens, const Period& period) {
  BagComparison typical(tokens.subspan(period.anchors[period.typical], period.length));
  double explained = 0;
  for (std::size_t j = 0; j + 1 < period.anchors.size(); ++j) {
    const auto turn = tokens.subspan(period.anchors[j], period.anchors[j + 1] - period.anchors[j]);
    explained += typical.likeness(turn) * static_cast<double>(turn.size());
  }
  explained += static_cast<double>(typical.common(tokens.first(period.anchors.front())));
  explained += static_cast<double>(typical.common(tokens.subspan(period.anchors.back())));
  return explained / static_cast<double>(tokens.size());
}

struct Candidate {
  std::uint32_t anchor = 0;
  std::size_t length = 0;
  double agreement = 0;
};

// The shortest of the periods that explain most.
std::optional<std::uint32_t> best_anchor(std::span<const std::uint32_t> tokens, std::size_t shortest) {
  std::vector<Candidate> candidates;
  double best = 0;
  for (const Recurrence& anchor : likely_anchors(tokens)) {
    const Period period = cut_at(tokens, anchor.token);
    if (period.length < std::max(fewest_tokens_in_turn, shortest)) continue;
    candidates.push_back({anchor.token, period.length, agreement_of(tokens, period)});
    best = std::max(best, candidates.back().agreement);
  }
  if (best < least_agreement) return std::nullopt;
  std::erase_if(candidates, [&](const Candidate& c) { return c.agreement < best - equal_agreement; });
  return std::min_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.length < b.length; })
      ->anchor;
}

}  // namespace

BagComparison::BagComparison(std::span<const std::uint32_t> reference) : size_(reference.size()) {
  const auto largest = std::max_element(reference.begin(), reference.end());
  wanted_.assign(largest == reference.end() ? 0 : *largest + 1, 0);
  seen_.assign(wanted_.size(), 0);
  for (const std::uint32_t token : reference) ++wanted_[token];
}

std::size_t BagComparison::common(std::span<const std::uint32_t> bag) {
  std::size_t matched = 0;
  for (const std::uint32_t token : bag) {
    if (token < wanted_.size() && seen_[token]++ < wanted_[token]) ++matched;
  }
  for (const std::uint32_t token : bag) {
    if (token < seen_.size()) seen_[token] = 0;
  }
  return matched;
}

double BagComparison::likeness(std::span<const std::uint32_t> bag) {
  return 2 * static_cast<double>(common(bag)) / static_cast<double>(bag.size() + size_);
}

std::optional<Period> find_period(std::span<const std::uint32_t> tokens, std::size_t shortest) {
  // A long run shows its period in a part of it; only the winner is checked against the whole.
  const std::size_t size = std::min(tokens.size(), most_tokens_searched);
  const auto anchor = best_anchor(tokens.subspan((tokens.size() - size) / 2, size), shortest);
  if (!anchor) return std::nullopt;
  Period period = cut_at(tokens, *anchor);
  period.agreement = agreement_of(tokens, period);
  if (period.agreement < least_agreement) return std::nullopt;
  return period;
}

}  // namespace kernwatt::attribution
