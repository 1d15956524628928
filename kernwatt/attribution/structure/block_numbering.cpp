// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/block_numbering.hpp"

#include <algorithm>
#include <numeric>

#include "kernwatt/attribution/structure/iteration_period.hpp"
#include "kernwatt/attribution/structure/sequence_alignment.hpp"

namespace kernwatt::attribution {
namespace {

using Tokens = std::vector<std::uint32_t>;

constexpr double least_coverage = 0.5;  // of a pass by equal blocks; less is chance, or a network whose blocks differ
constexpr double least_block_share = 0.75;  // of a block's tokens, for a repeat that is not exact
constexpr double least_part_likeness = 0.75;
constexpr std::size_t most_parts = 4;
constexpr std::int64_t nowhere = -1;

// Lays the block, over and over, beside `tokens` and returns for each token its place in that pattern, or `nowhere`.
// The series ends with the first repeat that is not there for most of its tokens, of which only the exact beginning
// is kept. A token that had to be stepped over gets the place of the one before it.
std::vector<std::int64_t> places_in_pattern(std::span<const std::uint32_t> block,
                                            std::span<const std::uint32_t> tokens) {
  const std::size_t most = tokens.size() / block.size() + 1;
  Tokens pattern;
  Tokens place(most * block.size());
  for (std::size_t k = 0; k < most; ++k) pattern.insert(pattern.end(), block.begin(), block.end());
  std::iota(place.begin(), place.end(), 0U);
  const Tokens carried = carry_labels(pattern, place, tokens);

  std::vector<std::size_t> found(most, 0);
  for (const std::uint32_t at : carried) {
    if (at != run::none) ++found[at / block.size()];
  }
  const auto first_missing = std::find_if(found.begin(), found.end(), [&](std::size_t n) {
    return static_cast<double>(n) < least_block_share * static_cast<double>(block.size());
  });
  const auto whole = static_cast<std::int64_t>(block.size()) * (first_missing - found.begin());

  std::vector<std::int64_t> places(tokens.size(), nowhere);
  std::int64_t last = nowhere;
  std::size_t end = 0;  // behind the last token that has a partner
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::int64_t at = carried[i] == run::none ? nowhere : static_cast<std::int64_t>(carried[i]);
    const bool steps_on = at == last + 1;
    if (!steps_on && (last + 1 >= whole || at >= whole)) break;
    if (at != nowhere) {
      last = at;
      end = i + 1;
    }
    places[i] = std::max<std::int64_t>(last, 0);
  }
  std::fill(places.begin() + static_cast<std::ptrdiff_t>(end), places.end(), nowhere);
  return places;
}

Tokens reversed(std::span<const std::uint32_t> tokens) { return {tokens.rbegin(), tokens.rend()}; }

// Places of the tokens of a pass in its repeated pattern, counted from the first.
struct Placement {
  std::vector<std::int64_t> place;  // or `nowhere`
  std::int64_t size = 0;            // behind the last place
  std::size_t exact_start = 0;      // the token from which on the repeats are exact,
  std::int64_t exact_place = 0;     // and its place
};

Placement place_tokens(std::span<const std::uint32_t> tokens, const Repetition& exact) {
  const auto block = tokens.subspan(exact.start, exact.period);
  const auto before = places_in_pattern(reversed(block), reversed(tokens.first(exact.start)));
  const auto after = places_in_pattern(block, tokens.subspan(exact.start + exact.length()));
  const auto length = static_cast<std::int64_t>(exact.length());
  Placement placement{std::vector<std::int64_t>(tokens.size(), nowhere), 0, exact.start, 0};
  for (const std::int64_t at : before) placement.exact_place = std::max(placement.exact_place, at + 1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != nowhere) placement.place[exact.start - 1 - i] = placement.exact_place - 1 - before[i];
  }
  for (std::size_t i = 0; i < exact.length(); ++i) {
    placement.place[exact.start + i] = placement.exact_place + static_cast<std::int64_t>(i);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] != nowhere)
      placement.place[exact.start + exact.length() + i] = placement.exact_place + length + after[i];
  }
  for (const std::int64_t at : placement.place) placement.size = std::max(placement.size, at + 1);
  return placement;
}

// How the pattern is cut into layers.
struct Cut {
  std::int64_t first = 0;  // place at which layer 0 begins
  std::int64_t period = 0;
  std::int64_t repeats = 0;
  std::vector<std::int64_t> parts;  // offsets in a repeat at which its layers begin

  std::uint32_t count() const { return static_cast<std::uint32_t>(repeats) * static_cast<std::uint32_t>(parts.size()); }
  std::uint32_t layer_at(std::int64_t place) const {
    if (place < first || place >= first + repeats * period) return run::none;
    const std::int64_t offset = (place - first) % period;
    const auto part = std::upper_bound(parts.begin(), parts.end(), offset) - parts.begin() - 1;
    return static_cast<std::uint32_t>((place - first) / period * std::ssize(parts) + part);
  }
};

}  // namespace

Category BlockNumbering::category(std::uint32_t launch) const {
  return structure_.class_category[trace_.launches[launch].kernel_class];
}

bool BlockNumbering::does_real_work(std::span<const std::uint32_t> block) const {
  return std::any_of(block.begin(), block.end(), [&](std::uint32_t launch) {
    return category(launch) == Category::matrix_product || category(launch) == Category::attention;
  });
}

// Layers of alternating kinds (sliding and full attention) repeat in pairs. A block is cut so that each part has one
// attention, at the same distance behind the part's begin; if the parts are alike, they are the layers.
std::vector<std::int64_t> BlockNumbering::parts_of(std::span<const std::uint32_t> launches,
                                                   std::span<const std::uint32_t> tokens) const {
  std::vector<std::size_t> attention_at;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const bool attends = category(launches[i]) == Category::attention;
    const bool goes_on = i > 0 && category(launches[i - 1]) == Category::attention;
    if (attends && !goes_on) attention_at.push_back(i);
  }
  if (attention_at.size() < 2 || attention_at.size() > most_parts) return {0};
  std::vector<std::int64_t> parts;
  BagComparison first(tokens.first(attention_at[1] - attention_at[0]));
  for (std::size_t k = 0; k < attention_at.size(); ++k) {
    const std::size_t begin = attention_at[k] - attention_at[0];
    const std::size_t end = k + 1 < attention_at.size() ? attention_at[k + 1] - attention_at[0] : tokens.size();
    if (first.likeness(tokens.subspan(begin, end - begin)) < least_part_likeness) return {0};
    parts.push_back(static_cast<std::int64_t>(begin));
  }
  return parts;
}

// A few tokens more than whole blocks leave open where a layer begins. Where one of the choices is a normalisation, it
// is there: so do transformers since GPT-2.
std::size_t BlockNumbering::most_likely_begin(std::span<const std::uint32_t> choices) const {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (category(choices[i]) == Category::normalisation) return i;
  }
  return 0;
}

Numbering BlockNumbering::number(const Pass& pass) const {
  const Repetition found = find_repetition(pass.tokens);
  // Where no iterations are known, two equal halves may as well be two of them.
  const bool iteration_known = structure_.launch_iteration[pass.launches[0]] != run::none;
  if (found.repeats < (iteration_known ? 2U : 3U)) return {};
  if (!does_real_work(pass.launches.subspan(found.start, found.period))) return {};
  if (static_cast<double>(found.length()) < least_coverage * static_cast<double>(pass.tokens.size())) return {};
  const Placement placement = place_tokens(pass.tokens, found);

  Cut cut{0, static_cast<std::int64_t>(found.period), 0, {}};
  cut.repeats = placement.size / cut.period;
  const std::int64_t spare = placement.size % cut.period;
  if (2 * spare >= cut.period) ++cut.repeats;  // a layer that misses less than half of its kernels
  // A token of the exact stretch that has the same place in the block as the first place of all.
  const std::int64_t behind = (cut.period - placement.exact_place % cut.period) % cut.period;
  std::size_t begin = placement.exact_start + static_cast<std::size_t>(behind);
  if (2 * spare < cut.period) {
    const auto choices = pass.launches.subspan(
        begin, std::min<std::size_t>(static_cast<std::size_t>(spare) + 1, pass.launches.size() - begin));
    cut.first = static_cast<std::int64_t>(most_likely_begin(choices));
    begin += static_cast<std::size_t>(cut.first);
  }
  if (begin + found.period > found.start + found.length()) begin -= found.period;
  cut.parts = parts_of(pass.launches.subspan(begin, found.period), pass.tokens.subspan(begin, found.period));

  Numbering numbering{cut.count(), Tokens(pass.tokens.size(), run::none)};
  for (std::size_t i = 0; i < pass.tokens.size(); ++i) {
    const std::uint32_t layer = placement.place[i] == nowhere ? run::none : cut.layer_at(placement.place[i]);
    if (layer != run::none) numbering.layer_of_token[i] = backwards_ ? numbering.count - 1 - layer : layer;
  }
  return numbering;
}

}  // namespace kernwatt::attribution
