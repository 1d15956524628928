// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/turn_evidence.hpp"

#include <algorithm>
#include <array>

#include "kernwatt/attribution/structure/phase_rules.hpp"

namespace kernwatt::attribution {
namespace {

constexpr auto once_names =
    std::to_array<std::string_view>({"*argmax*", "*sampling*", "*multinomial*", "*embedding*", "*logits*"});

bool comes_once(const run::Trace& trace, const ProgramStructure& structure, std::uint32_t kernel_class) {
  if (structure.class_category[kernel_class] == Category::optimizer) return true;
  if (trace.classes[kernel_class].name == run::none) return false;
  const KernelName name = prepare_kernel_name(trace.names.at(trace.classes[kernel_class].name));
  if (matches("*rotary*", name.function)) return false;  // a position embedding of every layer
  const PassMark mark = pass_mark_of(name);
  if (mark == PassMark::start || mark == PassMark::loss) return true;
  return std::any_of(once_names.begin(), once_names.end(),
                     [&](std::string_view pattern) { return matches(pattern, name.function); });
}

bool calls_span_turns(const run::Trace& trace, std::span<const std::uint32_t> sequence, const Turns& turns) {
  std::size_t spanned = 0;
  for (const std::size_t start : turns.starts) {
    if (start == 0) continue;
    const std::uint32_t call = trace.launches[sequence[start]].call;
    if (call != run::none && call == trace.launches[sequence[start - 1]].call) ++spanned;
  }
  return 2 * spanned > turns.starts.size();
}

bool turns_have_own_layers(const ProgramStructure& structure, std::span<const std::uint32_t> sequence,
                           const Turns& turns) {
  std::size_t changes = 0;
  std::size_t labelled = 0;
  std::uint32_t before = run::none;
  for (std::size_t j = 0; j < turns.starts.size(); ++j) {
    const std::size_t end = std::min(turns.starts[j] + turns.length, sequence.size());
    std::size_t i = turns.starts[j];
    while (i < end && structure.launch_layer[sequence[i]] == run::none) ++i;
    if (i == end) continue;
    const std::uint32_t layer = structure.launch_layer[sequence[i]];
    if (labelled++ > 0 && layer != before) ++changes;
    before = layer;
  }
  return labelled > 1 && 10 * changes >= 9 * (labelled - 1);
}

bool program_lies_outside(const run::Trace& trace, const ProgramStructure& structure,
                          std::span<const std::uint32_t> sequence, const Turns& turns) {
  std::vector<bool> once(trace.classes.size());
  for (std::uint32_t c = 0; c < once.size(); ++c) once[c] = comes_once(trace, structure, c);
  const auto has_once = [&](std::span<const std::uint32_t> part) {
    return std::any_of(part.begin(), part.end(),
                       [&](std::uint32_t launch) { return once[trace.launches[launch].kernel_class]; });
  };
  return !has_once(sequence.subspan(turns.starts[turns.typical], turns.length)) && has_once(sequence);
}

}  // namespace

std::string_view why_turns_are_layers(const run::Trace& trace, const ProgramStructure& structure,
                                      std::span<const std::uint32_t> sequence, const Turns& turns) {
  if (calls_span_turns(trace, sequence, turns)) return "one call of the host or one graph holds several of them";
  if (turns_have_own_layers(structure, sequence, turns)) return "each lies in a layer of another name";
  if (program_lies_outside(trace, structure, sequence, turns)) {
    return "embedding, loss, sampling or optimizer lie outside them";
  }
  return {};
}

}  // namespace kernwatt::attribution
