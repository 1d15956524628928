// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <unordered_map>

#include "kernwatt/attribution/structure/category.hpp"
#include "kernwatt/attribution/structure/flops.hpp"
#include "kernwatt/attribution/structure/iteration.hpp"
#include "kernwatt/attribution/structure/layer.hpp"
#include "kernwatt/attribution/structure/model_flops_estimate.hpp"
#include "kernwatt/attribution/structure/phase.hpp"

namespace kernwatt::attribution {
namespace {

// The operator of each site. What a replayed graph holds was asked for when it was captured, which the trace does not
// tell, so the graph stands for it.
void find_operators(const run::Trace& trace, ProgramStructure& structure) {
  std::unordered_map<run::NameId, std::uint32_t> by_name;
  std::map<std::int64_t, std::uint32_t> by_graph;
  std::vector<std::uint32_t> of_site(trace.sites.size(), run::none);
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    const run::Site& site = trace.sites[s];
    const auto next = static_cast<std::uint32_t>(structure.operator_names.size());
    if (site.graph) {
      const auto [place, is_new] = by_graph.try_emplace(*site.graph, next);
      if (is_new) structure.operator_names.push_back(fmt::format("inside graph {}", *site.graph));
      of_site[s] = place->second;
    } else if (site.op != run::none) {
      const auto [place, is_new] = by_name.try_emplace(site.op, next);
      if (is_new) structure.operator_names.emplace_back(trace.names.at(site.op));
      of_site[s] = place->second;
    }
  }
  structure.launch_operator.assign(trace.launches.size(), run::none);
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const std::uint32_t call = trace.launches[i].call;
    if (call == run::none || trace.calls[call].site == run::none) continue;
    structure.launch_operator[i] = of_site[trace.calls[call].site];
  }
}

}  // namespace

ProgramStructure analyse_structure(const run::Trace& trace, QualityLedger& quality) {
  ProgramStructure structure;
  categorise(trace, structure, quality);
  find_operators(trace, structure);
  find_phases(trace, structure, quality);
  const std::vector<LaunchSequence> sequences = launch_sequences(trace, structure);
  find_named_layers(trace, structure);
  find_iterations(trace, sequences, structure, quality);
  find_layers(trace, sequences, structure, quality);
  count_flops(trace, structure, quality);
  estimate_model_flops(trace, structure, quality);
  return structure;
}

}  // namespace kernwatt::attribution
