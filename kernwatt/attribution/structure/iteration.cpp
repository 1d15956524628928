// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "kernwatt/attribution/structure/iteration_period.hpp"
#include "kernwatt/attribution/structure/iteration_start.hpp"
#include "kernwatt/attribution/structure/turn_evidence.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double least_likeness = 0.7;  // of a turn with the typical one, to be an iteration and not what lies between
constexpr std::size_t fewest_iterations = 3;  // two alike may be chance
constexpr int most_attempts = 4;
constexpr double enough_agreement = 0.97;   // of classes, not to ask the names
constexpr double least_completeness = 0.9;  // of the last turn, to be whole

constexpr std::int64_t longest_tail_ns = 500'000'000;  // of idle behind an iteration that still belongs to it

struct MarkedSpan {
  std::int64_t first_start_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();
  bool empty() const { return last_end_ns < first_start_ns; }
};

// An iteration lasts until the next begins, unless the program pauses in between.
std::int64_t end_of_iteration(std::int64_t start_ns, std::int64_t last_end_ns, std::int64_t next_ns) {
  const bool pause = next_ns - last_end_ns > std::max(longest_tail_ns, last_end_ns - start_ns);
  return pause ? last_end_ns : next_ns;
}

// Iterations whose marks asked for work on the device. Returns false if none did.
bool find_by_marks(const run::Trace& trace, ProgramStructure& structure) {
  std::vector<MarkedSpan> spans(trace.iteration_marks.size());
  for (const run::Launch& launch : trace.launches) {
    if (launch.iteration >= spans.size()) continue;
    MarkedSpan& span = spans[launch.iteration];
    span.first_start_ns = std::min(span.first_start_ns, launch.start_ns);
    span.last_end_ns = std::max(span.last_end_ns, launch.end_ns());
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t mark = 0; mark < spans.size(); ++mark) {
    if (!spans[mark].empty()) order.push_back(mark);
  }
  if (order.empty()) return false;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return spans[a].first_start_ns < spans[b].first_start_ns; });

  std::vector<std::uint32_t> index_of_mark(spans.size(), run::none);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const MarkedSpan& span = spans[order[k]];
    const bool has_next = k + 1 < order.size();
    const std::int64_t next_ns = has_next ? spans[order[k + 1]].first_start_ns : span.last_end_ns;
    const std::int64_t end = end_of_iteration(span.first_start_ns, span.last_end_ns, next_ns);
    index_of_mark[order[k]] = static_cast<std::uint32_t>(k);
    structure.iterations.push_back(
        {span.first_start_ns, end, std::string(trace.names.at(trace.iteration_marks[order[k]].name))});
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const std::uint32_t mark = trace.launches[i].iteration;
    if (mark < index_of_mark.size()) structure.launch_iteration[i] = index_of_mark[mark];
  }
  structure.iterations_found_by = IterationsFoundBy::marks;
  return true;
}

std::int64_t last_end(const run::Trace& trace, std::span<const std::uint32_t> launches) {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const std::uint32_t i : launches) end = std::max(end, trace.launches[i].end_ns());
  return end;
}

// Turns that are like the typical one become iterations; what lies between them does not.
void add_turns(const run::Trace& trace, std::span<const std::uint32_t> sequence, std::span<const std::uint32_t> tokens,
               const Turns& turns, ProgramStructure& structure) {
  BagComparison typical(tokens.subspan(turns.starts[turns.typical], turns.length));
  for (std::size_t j = 0; j < turns.starts.size(); ++j) {
    const std::size_t first = turns.starts[j];
    const bool is_last = j + 1 == turns.starts.size();
    std::size_t size = (is_last ? tokens.size() : turns.starts[j + 1]) - first;
    if (is_last) size = std::min(size, turns.length);
    const auto turn = tokens.subspan(first, size);
    if (typical.likeness(turn) < (is_last ? least_completeness : least_likeness)) continue;
    const std::int64_t start_ns = trace.launches[sequence[first]].start_ns;
    const std::int64_t last_ns = last_end(trace, sequence.subspan(first, size));
    const std::int64_t end_ns =
        is_last ? last_ns : end_of_iteration(start_ns, last_ns, trace.launches[sequence[first + size]].start_ns);
    structure.iterations.push_back({start_ns, end_ns, fmt::format("iteration {}", structure.iterations.size())});
  }
}

void assign_by_time(const run::Trace& trace, ProgramStructure& structure) {
  std::size_t current = 0;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const std::int64_t start = trace.launches[i].start_ns;
    while (current < structure.iterations.size() && structure.iterations[current].end_ns <= start) ++current;
    if (current == structure.iterations.size()) return;
    if (start >= structure.iterations[current].start_ns) {
      structure.launch_iteration[i] = static_cast<std::uint32_t>(current);
    }
  }
}

void note_period(const Period& period, ProgramStructure& structure, QualityLedger& quality) {
  if (structure.iterations.size() < fewest_iterations) {
    structure.iterations.clear();
    return;
  }
  structure.iterations_found_by = IterationsFoundBy::period;
  quality.add("structure.iterations-by-period", Severity::info,
              fmt::format("nothing marks the iterations; they were told from the launch sequence, which repeats every "
                          "{} kernels (the typical turn explains {:.1f} % of all kernels)",
                          period.length, 100 * period.agreement));
}

// What the period is looked for in, and what was found.
struct Repeating {
  std::vector<std::uint32_t> tokens;
  std::optional<Period> period;
  double agreement() const { return period ? period->agreement : 0; }
};

// Classes tell most. But where grids follow the length of a sequence, a class comes once only, and the names must do.
Repeating find_repeating(const run::Trace& trace, std::span<const std::uint32_t> sequence, std::size_t shortest) {
  Repeating by_class{std::vector<std::uint32_t>(sequence.size()), {}};
  for (std::size_t i = 0; i < sequence.size(); ++i) by_class.tokens[i] = trace.launches[sequence[i]].kernel_class;
  by_class.period = find_period(by_class.tokens, shortest);
  if (by_class.agreement() > enough_agreement) return by_class;
  Repeating by_name{by_class.tokens, {}};
  for (std::uint32_t& token : by_name.tokens) {
    // An unnamed class gets a number behind all names.
    const run::NameId name = trace.classes[token].name;
    token = name == run::none ? trace.names.size() : name;
  }
  by_name.period = find_period(by_name.tokens, shortest);
  return by_name.agreement() > by_class.agreement() ? std::move(by_name) : std::move(by_class);
}

void find_by_period(const run::Trace& trace, std::span<const LaunchSequence> sequences, ProgramStructure& structure,
                    QualityLedger& quality) {
  if (sequences.empty()) return;
  // The GPU with most launches speaks for all: the ranks of one process work in step.
  const LaunchSequence& sequence = *std::max_element(sequences.begin(), sequences.end(),
                                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::size_t shortest = 0;
  std::string refused;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const Repeating repeating = find_repeating(trace, sequence, shortest);
    if (!repeating.period) break;
    const Turns turns = turns_of_program(trace, structure, sequence, repeating.tokens, *repeating.period);
    const auto reason = why_turns_are_layers(trace, structure, sequence, turns);
    if (reason.empty()) {
      add_turns(trace, sequence, repeating.tokens, turns, structure);
      note_period(*repeating.period, structure, quality);
      return assign_by_time(trace, structure);
    }
    refused = fmt::format("the launch sequence repeats every {} kernels, but these are layers and no iterations: {}",
                          repeating.period->length, reason);
    shortest = 2 * repeating.period->length;  // an iteration has several layers
  }
  if (!refused.empty()) quality.add("structure.period-is-a-layer", Severity::info, refused);
}

}  // namespace

void find_iterations(const run::Trace& trace, std::span<const LaunchSequence> sequences, ProgramStructure& structure,
                     QualityLedger& quality) {
  structure.launch_iteration.assign(trace.launches.size(), run::none);
  if (find_by_marks(trace, structure)) return;
  find_by_period(trace, sequences, structure, quality);
  if (structure.iterations.empty() && !trace.launches.empty()) {
    quality.add(
        "structure.no-iterations", Severity::info,
        "nothing marks iterations and the launch sequence has none that repeat: there are no figures per iteration");
  }
}

}  // namespace kernwatt::attribution
