// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/run_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernwatt/attribution/account/energy_sum.hpp"

namespace kernwatt::attribution {
namespace {

/// Mean and variance of durations, in one pass (Welford).
struct Spread {
  double n = 0, mean = 0, square = 0;
  void add(double x) {
    n += 1;
    const double d = x - mean;
    mean += d / n;
    square += d * (x - mean);
  }
  double variance() const { return n > 1 ? square / (n - 1) : 0; }
};

class Facts {
 public:
  Facts(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row, run::Run& run)
      : gpu_(gpu),
        program_(program),
        run_(run),
        base_(static_cast<std::uint32_t>(run.classes.size())),
        number_(program.trace.classes.size(), run::none) {
    for (std::size_t r = first_row; r < run.attribution.rows.size(); ++r)
      if (run.attribution.rows[r].view == run::View::kernel_class) class_rows_.push_back(run.attribution.rows[r].id);
  }

  void add() {
    measure_durations();
    add_classes();
    add_observations();
    if (gpu_.fit) add_covariance();
    if (run_.iteration.launches.empty()) add_iteration();
  }

 private:
  void measure_durations() {
    spread_.resize(program_.trace.classes.size());
    for (const std::uint32_t i : gpu_.timeline.launches) {
      const run::Launch& launch = program_.trace.launches[i];
      spread_[launch.kernel_class].add(static_cast<double>(launch.duration_ns) * 1e-9);
    }
  }

  /// In the order of the rows: cells by first appearance of their class.
  void add_classes() {
    for (const LaunchCell& cell : gpu_.cells) {
      const std::uint32_t k = cell.key.kernel_class;
      sums_[k].add(cell);
      if (number_[k] != run::none) continue;
      number_[k] = static_cast<std::uint32_t>(run_.classes.size());
      const run::KernelClass& kernel = program_.trace.classes[k];
      run::ClassFacts facts;
      facts.name = program_.trace.names.at(kernel.name);
      facts.kind = kernel.kind;
      facts.grid = kernel.grid;
      facts.block = kernel.block;
      facts.registers_per_thread = kernel.registers_per_thread;
      facts.shared_memory_bytes = kernel.shared_memory_bytes;
      facts.category = to_string(program_.structure.class_category[k]);
      const auto& flops = program_.structure.class_flops[k];
      if (flops && spread_[k].n > 0) facts.flops_per_launch = *flops / spread_[k].n;
      const std::size_t order = number_[k] - base_;
      if (order < class_rows_.size()) facts.attribution_row = class_rows_[order];
      run_.classes.push_back(std::move(facts));
      order_.push_back(k);
    }
  }

  void add_observations() {
    for (const std::uint32_t k : order_) {
      run::Observation o;  // configuration empty: nothing was set
      o.class_index = number_[k];
      o.count = static_cast<std::uint64_t>(spread_[k].n);
      o.time_mean_s = spread_[k].mean;
      o.time_variance_s2 = spread_[k].variance();
      const EnergySum& sum = sums_[k];
      if (gpu_.fit && sum.covered_s > 0) {
        o.power_mean_w = sum.joules(*gpu_.fit) / sum.covered_s;
        o.power_variance_w2 = sum.variance(*gpu_.fit) / (sum.covered_s * sum.covered_s);
      }
      run_.observations.push_back(o);
    }
  }

  /// Of the powers at the reference clock; classes of one column share one value.
  void add_covariance() {
    if (!run_.covariance.class_index.empty()) return;  // of the first GPU: twins have the same classes
    std::vector<std::uint32_t> column;
    for (const std::uint32_t k : order_) {
      const std::uint32_t c = gpu_.columns.of_class[k];
      if (c == run::none || gpu_.columns.sole_class[c] != k) continue;
      run_.covariance.class_index.push_back(number_[k]);
      column.push_back(c);
    }
    const auto& cov = gpu_.fit->covariance;
    for (const std::uint32_t a : column)
      for (const std::uint32_t b : column) {
        const Eigen::Index i = Parameters::dynamic(a);
        const Eigen::Index j = Parameters::dynamic(b);
        run_.covariance.w2.push_back(cov(0, 0) + cov(0, i) + cov(0, j) + cov(i, j));
      }
  }

  /// The launch sequence that most iterations share, with median times.
  void add_iteration() {
    const ProgramStructure& s = program_.structure;
    std::vector<std::vector<std::uint32_t>> launches(s.iterations.size());
    for (const std::uint32_t i : gpu_.timeline.launches)
      if (s.launch_iteration[i] != run::none) launches[s.launch_iteration[i]].push_back(i);
    std::map<std::uint64_t, std::vector<std::size_t>> same;
    for (std::size_t n = 0; n < launches.size(); ++n) {
      std::uint64_t h = launches[n].size();
      for (const std::uint32_t i : launches[n])
        h = (h ^ program_.trace.launches[i].kernel_class) * 0x9e3779b97f4a7c15ULL + (h >> 31);
      if (!launches[n].empty()) same[h].push_back(n);
    }
    const std::vector<std::size_t>* most = nullptr;
    for (const auto& [hash, list] : same)
      if (most == nullptr || list.size() > most->size()) most = &list;
    if (most != nullptr) fill_iteration(launches, *most);
  }

  void fill_iteration(const std::vector<std::vector<std::uint32_t>>& launches, const std::vector<std::size_t>& which) {
    run::CanonicalIteration& out = run_.iteration;
    const ProgramStructure& s = program_.structure;
    out.observed = which.size();
    out.layers = s.layer_names;
    std::vector<std::int64_t> length;
    length.reserve(which.size());
    for (const std::size_t n : which) length.push_back(s.iterations[n].end_ns - s.iterations[n].start_ns);
    out.period_ns = median(length);
    std::unordered_map<std::string, std::uint32_t> phase_number;
    for (std::size_t at = 0; at < launches[which.front()].size(); ++at) {
      std::vector<std::int64_t> start, duration;
      for (const std::size_t n : which) {
        const run::Launch& launch = program_.trace.launches[launches[n][at]];
        start.push_back(launch.start_ns - s.iterations[n].start_ns);
        duration.push_back(launch.duration_ns);
      }
      const std::uint32_t index = launches[which.front()][at];
      const run::Launch& first = program_.trace.launches[index];
      const std::string phase(to_string(s.launch_phase[index]));
      const auto [found, added] = phase_number.try_emplace(phase, static_cast<std::uint32_t>(out.phases.size()));
      if (added) out.phases.push_back(phase);
      out.launches.push_back({number_[first.kernel_class], first.stream, s.launch_layer[index], found->second,
                              median(start), median(duration)});
    }
  }

  static std::int64_t median(std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  const GpuEnergy& gpu_;
  const TracedProgram& program_;
  run::Run& run_;
  std::uint32_t base_;
  std::vector<std::uint32_t> number_;  ///< class of the trace -> class of the Run
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> class_rows_;
  std::vector<Spread> spread_;
  std::unordered_map<std::uint32_t, EnergySum> sums_;
};

}  // namespace

void add_facts(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row, run::Run& run) {
  Facts(gpu, program, first_row, run).add();
}

}  // namespace kernwatt::attribution
