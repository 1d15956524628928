// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/layer_order.hpp"

#include <algorithm>
#include <unordered_map>

#include "kernwatt/attribution/structure/block_numbering.hpp"
#include "kernwatt/attribution/structure/sequence_alignment.hpp"

namespace kernwatt::attribution {
namespace {

// The operator names what a kernel is for, whichever kernel the library chose; without one the kernel's name must do.
std::uint32_t token_of(const run::Trace& trace, const run::Launch& launch) {
  if (launch.call != run::none) {
    const std::uint32_t site = trace.calls[launch.call].site;
    if (site != run::none && trace.sites[site].op != run::none) return trace.sites[site].op;
  }
  return trace.classes[launch.kernel_class].name;
}

bool is_wanted(Phase phase, Direction direction) {
  if (direction == Direction::back) return phase == Phase::backward;
  return phase == Phase::forward || phase == Phase::prefill || phase == Phase::decode || phase == Phase::compute;
}

std::vector<Pass> passes_of(const LaunchSequence& sequence, std::span<const std::uint32_t> tokens, Direction direction,
                            const ProgramStructure& structure) {
  std::vector<Pass> passes;
  std::size_t first = 0;
  const auto same_pass = [&](std::uint32_t a, std::uint32_t b) {
    return structure.launch_phase[a] == structure.launch_phase[b] &&
           structure.launch_iteration[a] == structure.launch_iteration[b];
  };
  for (std::size_t i = 0; i <= sequence.size(); ++i) {
    if (i < sequence.size() && (i == first || same_pass(sequence[first], sequence[i]))) continue;
    if (first < i && is_wanted(structure.launch_phase[sequence[first]], direction)) {
      passes.push_back({std::span(sequence).subspan(first, i - first), tokens.subspan(first, i - first)});
    }
    first = i;
  }
  return passes;
}

std::uint64_t hash_of(std::span<const std::uint32_t> tokens) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const std::uint32_t token : tokens) hash = (hash ^ token) * 0x100000001b3ULL;
  return hash;
}

// Passes with the same tokens, told by their hash.
struct PassKind {
  const Pass* example = nullptr;
  std::uint64_t launches = 0;
  Numbering numbering;
};
using PassKinds = std::unordered_map<std::uint64_t, PassKind>;

// The kind of pass in which most kernels run speaks for the program.
const PassKind* commonest(const PassKinds& kinds) {
  const PassKind* best = nullptr;
  for (const auto& [hash, kind] : kinds) {
    if (best == nullptr || kind.launches > best->launches ||
        (kind.launches == best->launches && kind.example->launches[0] < best->example->launches[0])) {
      best = &kind;
    }
  }
  return best;
}

void number_kinds(const BlockNumbering& blocks, std::uint32_t expected_count, PassKinds& kinds) {
  const PassKind* main_kind = commonest(kinds);
  if (main_kind == nullptr) return;
  Numbering main_numbering = blocks.number(*main_kind->example);
  if (expected_count != 0 && main_numbering.count != expected_count) main_numbering = {};
  const std::uint32_t count = expected_count != 0 ? expected_count : main_numbering.count;
  for (auto& [hash, kind] : kinds) {
    if (&kind == main_kind) {
      kind.numbering = main_numbering;
      continue;
    }
    kind.numbering = blocks.number(*kind.example);
    if (kind.numbering.count == count || main_numbering.count == 0) {
      if (kind.numbering.count != count) kind.numbering = {};
      continue;
    }
    kind.numbering = {count,
                      carry_labels(main_kind->example->tokens, main_numbering.layer_of_token, kind.example->tokens)};
  }
}

}  // namespace

LayersByOrder number_layers_by_order(const run::Trace& trace, std::span<const LaunchSequence> sequences,
                                     Direction direction, std::uint32_t expected_count, ProgramStructure& structure) {
  LayersByOrder result;
  const BlockNumbering blocks(trace, structure, direction == Direction::back);
  for (const LaunchSequence& sequence : sequences) {
    std::vector<std::uint32_t> tokens(sequence.size());
    for (std::size_t i = 0; i < sequence.size(); ++i) tokens[i] = token_of(trace, trace.launches[sequence[i]]);
    const std::vector<Pass> passes = passes_of(sequence, tokens, direction, structure);
    std::vector<std::uint64_t> hashes;
    PassKinds kinds;
    for (const Pass& pass : passes) {
      hashes.push_back(hash_of(pass.tokens));
      PassKind& kind = kinds[hashes.back()];
      if (kind.example == nullptr) kind.example = &pass;
      kind.launches += pass.launches.size();
    }
    number_kinds(blocks, expected_count, kinds);
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const Numbering& numbering = kinds.at(hashes[p]).numbering;
      ++result.passes;
      if (numbering.count == 0) ++result.passes_without;
      result.count = std::max(result.count, numbering.count);
      for (std::size_t i = 0; i < numbering.layer_of_token.size(); ++i) {
        if (numbering.layer_of_token[i] == run::none) continue;
        structure.launch_layer[passes[p].launches[i]] = numbering.layer_of_token[i];
        ++result.launches;
      }
    }
  }
  return result;
}

}  // namespace kernwatt::attribution
