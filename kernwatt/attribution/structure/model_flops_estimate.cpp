// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/model_flops_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {
namespace {

// PyTorch's multi_tensor_apply gives each block 65536 elements of one tensor.
constexpr double elements_per_block = 65536;
constexpr double flops_per_parameter_and_token = 6;

// What a kernel's grid counts.
enum class GridCounts : std::uint8_t {
  parameter_chunks,  ///< fused optimizer: blocks of 65536 parameters, each tensor rounded up
  tensors,           ///< the optimizer's step counters: one block per parameter tensor
  embedding_rows,    ///< one block per token
  norm_rows,
  loss_rows
};

constexpr auto grid_rules = std::to_array<NameRule<GridCounts>>({
    {NamePart::whole, "*multi_tensor_apply*fusedadam*", GridCounts::parameter_chunks},
    {NamePart::whole, "*multi_tensor_apply*fusedsgd*", GridCounts::parameter_chunks},
    {NamePart::whole, "*multi_tensor_apply*tensorlistmetadata<1>*binaryopscalarfunctor<float*", GridCounts::tensors},
    {NamePart::function, "vectorized_gather_kernel", GridCounts::embedding_rows},
    {NamePart::function, "vectorized_layer_norm_kernel", GridCounts::norm_rows},
    {NamePart::function, "cunn_softmaxforward*", GridCounts::loss_rows},
});

struct ClassGrid {
  std::optional<GridCounts> counts;
  double blocks = 0;
};

std::vector<ClassGrid> grids_of(const run::Trace& trace) {
  std::vector<ClassGrid> grids(trace.classes.size());
  for (std::size_t c = 0; c < trace.classes.size(); ++c) {
    const run::KernelClass& kernel_class = trace.classes[c];
    if (kernel_class.kind != run::LaunchKind::kernel || !kernel_class.grid || kernel_class.name == run::none) continue;
    const GridCounts* found =
        first_match<GridCounts>(grid_rules, prepare_kernel_name(trace.names.at(kernel_class.name)));
    if (found != nullptr) grids[c] = {*found, static_cast<double>((*kernel_class.grid)[0])};
  }
  return grids;
}

// What the launches of one iteration count.
struct IterationCounts {
  double chunks = 0;
  double tensors = 0;
  std::map<double, std::set<GridCounts>> kinds_of_rows;  // which kinds of kernels have this many rows
  std::map<double, double> losses;                       // launches over this many rows
};

void count(const ClassGrid& grid, Phase phase, IterationCounts& counts) {
  switch (*grid.counts) {
    case GridCounts::parameter_chunks:
      counts.chunks += grid.blocks;
      return;
    case GridCounts::tensors:
      if (phase == Phase::optimizer) counts.tensors += grid.blocks;
      return;
    case GridCounts::loss_rows:
      counts.losses[grid.blocks] += 1;
      break;
    case GridCounts::embedding_rows:
    case GridCounts::norm_rows:
      break;
  }
  if (phase == Phase::forward) counts.kinds_of_rows[grid.blocks].insert(*grid.counts);
}

// Rows that all three kinds of kernels share are tokens; times the number of losses: micro-batches.
std::optional<double> tokens_in(const IterationCounts& counts) {
  for (const auto& [rows, kinds] : counts.kinds_of_rows) {
    if (kinds.size() < 3) continue;
    return rows * counts.losses.at(rows);
  }
  return std::nullopt;
}

// Ranks that keep a share of the parameters each do work for all of them: the rule does not hold there.
bool is_sharded(const ProgramStructure& structure) {
  return std::any_of(structure.collective_of_class.begin(), structure.collective_of_class.end(),
                     [](const std::string& kind) { return kind == "all-gather" || kind == "reduce-scatter"; });
}

std::optional<ModelFlops> estimate(const IterationCounts& counts) {
  const std::optional<double> tokens = tokens_in(counts);
  if (!tokens || counts.chunks <= 0 || counts.tensors <= 0) return std::nullopt;
  ModelFlops model;
  model.tokens_per_iteration = *tokens;
  model.parameters_high = counts.chunks * elements_per_block;
  model.parameters_low = model.parameters_high - counts.tensors * (elements_per_block - 1);
  if (model.parameters_low <= 0) return std::nullopt;
  model.parameters = (model.parameters_low + model.parameters_high) / 2;
  const double per_parameter = flops_per_parameter_and_token * *tokens;
  model.per_iteration = per_parameter * model.parameters;
  model.per_iteration_low = per_parameter * model.parameters_low;
  model.per_iteration_high = per_parameter * model.parameters_high;
  return model;
}

}  // namespace

void estimate_model_flops(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality) {
  if (!structure.launch_flops.empty() || structure.iterations.empty() || is_sharded(structure)) return;
  const std::vector<ClassGrid> grids = grids_of(trace);
  std::vector<IterationCounts> counts(structure.iterations.size());
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const ClassGrid& grid = grids[trace.launches[i].kernel_class];
    const std::uint32_t iteration = structure.launch_iteration[i];
    if (grid.counts && iteration != run::none) count(grid, structure.launch_phase[i], counts[iteration]);
  }
  std::vector<ModelFlops> estimates;
  for (const IterationCounts& iteration : counts) {
    if (const auto model = estimate(iteration)) estimates.push_back(*model);
  }
  if (estimates.empty() || 2 * estimates.size() < counts.size()) return;
  const auto middle = estimates.begin() + static_cast<std::ptrdiff_t>(estimates.size() / 2);
  std::nth_element(estimates.begin(), middle, estimates.end(),
                   [](const ModelFlops& a, const ModelFlops& b) { return a.per_iteration < b.per_iteration; });
  middle->how = fmt::format(
      "6 FLOPs per parameter and token: {:.4g} ± {:.2g} parameters from the grids of the fused optimizer, {:.0f} "
      "tokens "
      "from the rows of the embedding, normalisation and loss kernels; a separate input embedding would be counted too "
      "much, recomputed activations too little",
      middle->parameters, (middle->parameters_high - middle->parameters_low) / 2, middle->tokens_per_iteration);
  quality.add(
      "structure.flops-estimated", Severity::info,
      "the trace has no operand shapes: the FLOPs of all matrix products together are an estimate, " + middle->how);
  structure.model_flops = *middle;
}

}  // namespace kernwatt::attribution
