// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernwatt/attribution/structure/layer_name.hpp"
#include "kernwatt/attribution/structure/layer_order.hpp"

namespace kernwatt::attribution {
namespace {

// Forward operators by autograd's sequence number, to find the layer of a backward operator.
class LayerBySequence {
 public:
  LayerBySequence(const run::Trace& trace, std::span<const LaunchSequence> sequences,
                  const ProgramStructure& structure) {
    for (const LaunchSequence& sequence : sequences) {
      for (const std::uint32_t i : sequence) {
        const std::uint32_t call = trace.launches[i].call;
        if (call == run::none || trace.calls[call].sequence < 0) continue;
        if (structure.launch_phase[i] == Phase::backward || structure.launch_phase[i] == Phase::optimizer) continue;
        if (!known_.empty() && known_.back().sequence == trace.calls[call].sequence) continue;
        known_.push_back({trace.calls[call].sequence, structure.launch_layer[i]});
      }
    }
    std::stable_sort(known_.begin(), known_.end(), by_sequence);
  }

  bool empty() const { return known_.empty(); }

  /// Views launch nothing forward, but may backward: they go with the operator before them.
  std::uint32_t layer_of(std::int64_t sequence) const {
    const auto behind = std::upper_bound(known_.begin(), known_.end(), Known{sequence, run::none}, by_sequence);
    return behind == known_.begin() ? run::none : std::prev(behind)->layer;
  }

 private:
  struct Known {
    std::int64_t sequence = 0;
    std::uint32_t layer = run::none;
  };
  static bool by_sequence(const Known& a, const Known& b) { return a.sequence < b.sequence; }
  std::vector<Known> known_;
};

struct BackwardCount {
  std::uint64_t launches = 0;
  std::uint64_t with_sequence = 0;
};

BackwardCount assign_backward_by_sequence(const run::Trace& trace, const LayerBySequence& layers,
                                          ProgramStructure& structure) {
  BackwardCount count;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    if (structure.launch_phase[i] != Phase::backward) continue;
    ++count.launches;
    const std::uint32_t call = trace.launches[i].call;
    if (call == run::none || trace.calls[call].sequence < 0 || layers.empty()) continue;
    ++count.with_sequence;
    if (structure.launch_layer[i] == run::none) {
      structure.launch_layer[i] = layers.layer_of(trace.calls[call].sequence);
    }
  }
  return count;
}

// Memsets and copies prepare the kernel behind them on their stream; communication finishes the one before it.
void give_helpers_a_layer(const run::Trace& trace, ProgramStructure& structure) {
  std::vector<std::uint32_t> neighbour(trace.streams.size() + 1, run::none);
  const auto slot = [&](const run::Launch& launch) -> std::uint32_t& {
    return neighbour[launch.stream == run::none ? trace.streams.size() : launch.stream];
  };
  const auto is_communication = [&](std::size_t i) {
    return structure.class_category[trace.launches[i].kernel_class] == Category::communication;
  };
  const auto is_kernel = [&](std::size_t i) {
    return trace.classes[trace.launches[i].kernel_class].kind == run::LaunchKind::kernel;
  };
  for (std::size_t i = trace.launches.size(); i-- > 0;) {
    if (is_communication(i)) continue;
    std::uint32_t& next = slot(trace.launches[i]);
    if (is_kernel(i)) {
      next = static_cast<std::uint32_t>(i);
    } else if (next != run::none && structure.launch_phase[i] == structure.launch_phase[next]) {
      structure.launch_layer[i] = structure.launch_layer[next];
    }
  }
  std::fill(neighbour.begin(), neighbour.end(), run::none);
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    std::uint32_t& before = slot(trace.launches[i]);
    if (!is_communication(i)) {
      if (is_kernel(i)) before = static_cast<std::uint32_t>(i);
    } else if (before != run::none && structure.launch_layer[i] == run::none) {
      structure.launch_layer[i] = structure.launch_layer[before];
    }
  }
}

void find_backward_layers(const run::Trace& trace, std::span<const LaunchSequence> sequences,
                          ProgramStructure& structure, QualityLedger& quality) {
  const BackwardCount by_sequence =
      assign_backward_by_sequence(trace, LayerBySequence(trace, sequences, structure), structure);
  if (by_sequence.launches == 0 || by_sequence.with_sequence > 0) return;
  const auto count = static_cast<std::uint32_t>(structure.layer_names.size());
  const LayersByOrder back = number_layers_by_order(trace, sequences, Direction::back, count, structure);
  if (back.launches > 0) {
    quality.add("structure.backward-layers-by-order", Severity::info,
                "the trace has no autograd sequence numbers: the layers of the backward pass were told from its "
                "repeated block, the last layer first",
                back.launches);
  } else {
    quality.add("structure.backward-layers-unknown", Severity::info,
                "the backward pass does not repeat a block as often as the forward pass: its launches have no layer",
                by_sequence.launches);
  }
}

}  // namespace

void find_named_layers(const run::Trace& trace, ProgramStructure& structure) {
  structure.launch_layer.assign(trace.launches.size(), run::none);
  NamedLayers named = named_layers(trace);
  if (named.empty()) return;
  structure.layer_names = std::move(named.names);
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const std::uint32_t call = trace.launches[i].call;
    if (call == run::none || trace.calls[call].site == run::none) continue;
    structure.launch_layer[i] = named.layer_of_site[trace.calls[call].site];
  }
}

void find_layers(const run::Trace& trace, std::span<const LaunchSequence> sequences, ProgramStructure& structure,
                 QualityLedger& quality) {
  if (!structure.layer_names.empty()) {
    find_backward_layers(trace, sequences, structure, quality);
    return;
  }
  const LayersByOrder onward = number_layers_by_order(trace, sequences, Direction::onward, 0, structure);
  if (onward.count == 0) return;
  for (std::uint32_t k = 0; k < onward.count; ++k) structure.layer_names.push_back(fmt::format("layer {}", k));
  quality.add("structure.layers-by-order", Severity::info,
              fmt::format("no range names the layers: {} layers were told from the block of kernels that each pass "
                          "repeats, numbered in their order",
                          onward.count),
              onward.launches);
  find_backward_layers(trace, sequences, structure, quality);
  give_helpers_a_layer(trace, structure);
}

}  // namespace kernwatt::attribution
