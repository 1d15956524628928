// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/flops.hpp"

#include <algorithm>
#include <unordered_map>

#include "kernwatt/attribution/structure/operation_flops.hpp"

namespace kernwatt::attribution {
namespace {

std::vector<std::optional<OperationFlops>> flops_of_sites(const run::Trace& trace) {
  std::unordered_map<run::NameId, std::vector<Shape>> parsed;
  std::vector<std::optional<OperationFlops>> flops(trace.sites.size());
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    const run::Site& site = trace.sites[s];
    if (site.op == run::none || site.shapes == run::none) continue;
    const auto [shapes, is_new] = parsed.try_emplace(site.shapes);
    if (is_new) shapes->second = parse_shapes(trace.names.at(site.shapes));
    flops[s] = flops_of_operation(trace.names.at(site.op), shapes->second);
  }
  return flops;
}

bool is_counted(Category category) { return category == Category::matrix_product || category == Category::attention; }

// The launch of each call that did the work: the longest product or attention; if the call has none that we recognise,
// its longest kernel.
std::vector<std::uint32_t> main_launches(const run::Trace& trace, const ProgramStructure& structure,
                                         const std::vector<std::optional<OperationFlops>>& flops) {
  std::vector<std::uint32_t> main(trace.calls.size(), run::none);
  const auto counted = [&](std::uint32_t i) {
    return is_counted(structure.class_category[trace.launches[i].kernel_class]);
  };
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    if (launch.call == run::none || trace.classes[launch.kernel_class].kind != run::LaunchKind::kernel) continue;
    const std::uint32_t site = trace.calls[launch.call].site;
    if (site == run::none || !flops[site]) continue;
    std::uint32_t& best = main[launch.call];
    if (best == run::none || (counted(i) && !counted(best)) ||
        (counted(i) == counted(best) && launch.duration_ns > trace.launches[best].duration_ns)) {
      best = i;
    }
  }
  return main;
}

// A sum that is void as soon as one of its parts is not known.
struct Sum {
  double flops = 0;
  bool any = false;
  bool unknown = false;
  std::optional<double> value() const { return any && !unknown ? std::optional(flops) : std::nullopt; }
};

class Sums {
 public:
  explicit Sums(std::size_t size) : sums_(size) {}
  void add(std::uint32_t index, double flops) {
    if (index == run::none) return;
    sums_[index].flops += flops;
    sums_[index].any = true;
  }
  void spoil(std::uint32_t index) {
    if (index != run::none) sums_[index].unknown = true;
  }
  std::vector<std::optional<double>> values() const {
    std::vector<std::optional<double>> values;
    for (const Sum& sum : sums_) values.push_back(sum.value());
    return values;
  }

 private:
  std::vector<Sum> sums_;
};

void find_launch_flops(const run::Trace& trace, ProgramStructure& structure) {
  const auto flops = flops_of_sites(trace);
  const auto main = main_launches(trace, structure, flops);
  std::vector<bool> causal(trace.classes.size(), false);
  for (std::size_t c = 0; c < trace.classes.size(); ++c) {
    const run::NameId name = trace.classes[c].name;
    causal[c] =
        structure.class_category[c] == Category::attention && name != run::none && says_causal(trace.names.at(name));
  }
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    const std::uint32_t work_of = launch.call == run::none ? run::none : main[launch.call];
    if (work_of == i) {
      const OperationFlops& work = *flops[trace.calls[launch.call].site];
      const bool halved = work.is_attention && work.is_square && causal[launch.kernel_class];
      structure.launch_flops.push_back({i, halved ? work.flops / 2 : work.flops});
    } else if (work_of == run::none && is_counted(structure.class_category[launch.kernel_class])) {
      structure.launches_without_flops.push_back(i);
    }
  }
}

}  // namespace

void count_flops(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality) {
  find_launch_flops(trace, structure);
  Sums by_class(trace.classes.size());
  Sums by_layer(structure.layer_names.size());
  Sums by_operator(structure.operator_names.size());
  for (const auto& [launch, flops] : structure.launch_flops) {
    by_class.add(trace.launches[launch].kernel_class, flops);
    by_layer.add(structure.launch_layer[launch], flops);
    by_operator.add(structure.launch_operator[launch], flops);
  }
  for (const std::uint32_t launch : structure.launches_without_flops) {
    by_class.spoil(trace.launches[launch].kernel_class);
    by_layer.spoil(structure.launch_layer[launch]);
    by_operator.spoil(structure.launch_operator[launch]);
  }
  structure.class_flops = by_class.values();
  structure.layer_flops = by_layer.values();
  structure.operator_flops = by_operator.values();
  if (!structure.launches_without_flops.empty()) {
    quality.add("structure.flops-unknown", Severity::info,
                "the shapes of some matrix products or attention kernels are not in the trace, so no J/FLOP is given "
                "for what contains them; record with record_shapes=True",
                structure.launches_without_flops.size());
  }
}

}  // namespace kernwatt::attribution
