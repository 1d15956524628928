// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/iteration_start.hpp"

#include <algorithm>
#include <optional>

#include "kernwatt/attribution/structure/phase_rules.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::size_t turns_for_gaps = 64;  // enough for a median
constexpr std::size_t context = 4;          // tokens that must agree to recognise a place

// Offset behind the longest stretch of the (cyclic) turn that begins with optimizer kernels: its last kernel is the one
// with the longest way to the next.
std::optional<std::size_t> offset_behind_optimizer(const run::Trace& trace, const ProgramStructure& structure,
                                                   std::span<const std::uint32_t> turn) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    if (structure.class_category[trace.launches[turn[i]].kernel_class] == Category::optimizer) places.push_back(i);
  }
  if (places.empty() || places.size() == turn.size()) return std::nullopt;
  std::size_t best = 0;
  std::size_t longest = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::size_t next = k + 1 < places.size() ? places[k + 1] : places[0] + turn.size();
    if (next - places[k] > longest) {
      longest = next - places[k];
      best = places[k];
    }
  }
  return (best + 1) % turn.size();
}

std::optional<std::size_t> offset_of_embedding(const run::Trace& trace, std::span<const std::uint32_t> turn) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    const run::NameId name = trace.classes[trace.launches[turn[i]].kernel_class].name;
    if (name == run::none) continue;
    if (pass_mark_of(prepare_kernel_name(trace.names.at(name))) != PassMark::start) continue;
    if (found) return std::nullopt;  // several look-ups: none of them is the beginning for certain
    found = i;
  }
  return found;
}

std::size_t offset_behind_longest_gap(const run::Trace& trace, std::span<const std::uint32_t> sequence,
                                      const Period& period) {
  std::size_t best = 0;
  std::int64_t longest = -1;
  std::vector<std::int64_t> gaps;
  for (std::size_t offset = 0; offset < period.length; ++offset) {
    gaps.clear();
    for (std::size_t j = 0; j + 1 < period.anchors.size() && gaps.size() < turns_for_gaps; ++j) {
      const std::size_t at = period.anchors[j] + offset;
      if (at == 0 || period.anchors[j + 1] - period.anchors[j] != period.length) continue;
      gaps.push_back(trace.launches[sequence[at]].start_ns - trace.launches[sequence[at - 1]].end_ns());
    }
    if (gaps.empty()) continue;
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
    if (gaps[gaps.size() / 2] > longest) {
      longest = gaps[gaps.size() / 2];
      best = offset;
    }
  }
  return best;
}

// Recognises a place in the turn by its next tokens, near where it should be.
class Landmark {
 public:
  Landmark(std::span<const std::uint32_t> tokens, std::size_t place)
      : tokens_(tokens), wanted_(tokens.subspan(place, std::min(context, tokens.size() - place))) {}
  std::optional<std::size_t> nearest(std::size_t expected, std::size_t first, std::size_t end) const {
    for (std::size_t distance = 0; distance < end - first; ++distance) {
      if (expected + distance < end && is_at(expected + distance)) return expected + distance;
      if (expected >= first + distance && is_at(expected - distance)) return expected - distance;
    }
    return std::nullopt;
  }

 private:
  bool is_at(std::size_t place) const {
    return place + wanted_.size() <= tokens_.size() &&
           std::equal(wanted_.begin(), wanted_.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  std::span<const std::uint32_t> tokens_;
  std::span<const std::uint32_t> wanted_;
};

// Moves every cut by `offset`; where a turn differs from the typical one, to the nearest place that looks the same.
Turns moved(std::span<const std::uint32_t> tokens, const Period& period, std::size_t offset) {
  const Landmark landmark(tokens, period.anchors[period.typical] + offset);
  Turns turns{{}, 0, period.length};
  const auto add = [&](std::optional<std::size_t> place) {
    if (place && (turns.starts.empty() || *place > turns.starts.back())) turns.starts.push_back(*place);
  };
  const std::size_t first = period.anchors.front();
  if (offset > 0 && first + offset >= period.length) {
    add(landmark.nearest(first + offset - period.length, 0, first));
  } else if (offset > 0 && first > 0) {
    add(landmark.nearest(0, 0, first));
  }
  for (std::size_t j = 0; j < period.anchors.size(); ++j) {
    const std::size_t anchor = period.anchors[j];
    const std::size_t end = j + 1 < period.anchors.size() ? period.anchors[j + 1] : tokens.size();
    if (j == period.typical) turns.typical = turns.starts.size();
    add(landmark.nearest(std::min(anchor + offset, end - 1), anchor, end));
  }
  return turns;
}

}  // namespace

Turns turns_of_program(const run::Trace& trace, const ProgramStructure& structure,
                       std::span<const std::uint32_t> sequence, std::span<const std::uint32_t> tokens,
                       const Period& period) {
  const auto turn = sequence.subspan(period.anchors[period.typical], period.length);
  std::optional<std::size_t> offset = offset_behind_optimizer(trace, structure, turn);
  if (!offset) offset = offset_of_embedding(trace, turn);
  if (!offset) offset = offset_behind_longest_gap(trace, sequence, period);
  Turns turns = moved(tokens, period, *offset);
  // The typical turn now runs into the one behind it, which may be torn; any of the right length will do.
  for (std::size_t j = 0; j + 1 < turns.starts.size(); ++j) {
    const std::size_t candidate = (turns.typical + j) % (turns.starts.size() - 1);
    if (turns.starts[candidate + 1] - turns.starts[candidate] != turns.length) continue;
    turns.typical = candidate;
    return turns;
  }
  return {period.anchors, period.typical, period.length};
}

}  // namespace kernwatt::attribution
