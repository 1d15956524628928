// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/energy_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>

#include "kernwatt/attribution/account/energy_sum.hpp"
#include "kernwatt/attribution/account/ties.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double z95 = 1.96;

run::Interval around(double value, double half_width) { return {value - half_width, value + half_width}; }

/// Sums of the cells by some number, in order of first appearance.
struct Grouped {
  std::vector<std::uint64_t> key;
  std::vector<EnergySum> sum;
};

Grouped group(const std::vector<LaunchCell>& cells, const std::function<std::uint64_t(const CellKey&)>& key_of) {
  Grouped out;
  std::unordered_map<std::uint64_t, std::size_t> index;
  for (const LaunchCell& cell : cells) {
    const std::uint64_t key = key_of(cell.key);
    const auto [at, added] = index.try_emplace(key, out.key.size());
    if (added) {
      out.key.push_back(key);
      out.sum.emplace_back();
    }
    out.sum[at->second].add(cell);
  }
  return out;
}

std::string dims(const std::optional<run::Dim3>& d) {
  return d ? fmt::format("{}x{}x{}", (*d)[0], (*d)[1], (*d)[2]) : "";
}

class RowBuilder {
 public:
  RowBuilder(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number, run::Attribution& attribution)
      : gpu_(gpu), program_(program), gpu_number_(gpu_number), out_(attribution) {
    for (const LaunchCell& cell : gpu.cells) busy_s_ += cell.time_s;
    if (gpu.fit) ties_ = find_ties(gpu);
    if (gpu.fit && gpu.total_j && *gpu.total_j > 0)
      unexplained_ = gpu.poll_doubt + std::max(0.0, std::abs(gpu.unattributed_j() / *gpu.total_j) - usual_misfit);
  }

  void build() {
    std::unordered_map<std::uint64_t, std::uint32_t> category_row;
    const Grouped categories = group(gpu_.cells, [&](const CellKey& k) { return category_of(k); });
    for (std::size_t i = 0; i < categories.key.size(); ++i) {
      run::Row row = measured_row(run::View::category, categories.sum[i]);
      row.name = to_string(static_cast<Category>(categories.key[i]));
      estimate_flops(row, static_cast<Category>(categories.key[i]), categories.sum[i]);
      category_row[categories.key[i]] = push(std::move(row));
    }
    const std::size_t first_class = out_.rows.size();
    const Grouped classes = group(gpu_.cells, [](const CellKey& k) { return k.kernel_class; });
    for (std::size_t i = 0; i < classes.key.size(); ++i) {
      const auto k = static_cast<std::uint32_t>(classes.key[i]);
      run::Row row = class_row(k, classes.sum[i]);
      row.parent = category_row[static_cast<std::uint64_t>(program_.structure.class_category[k])];
      push(std::move(row));
      explain(k, classes.sum[i]);
    }
    sum_ties(classes, first_class);
    add_named(run::View::operator_, program_.structure.operator_names, "(no operator)",
              [](const CellKey& k) { return k.op; });
    add_named(run::View::layer, program_.structure.layer_names, "(no layer)", [](const CellKey& k) { return k.layer; });
    add_phases();
  }

 private:
  std::uint64_t category_of(const CellKey& k) const {
    return static_cast<std::uint64_t>(program_.structure.class_category[k.kernel_class]);
  }

  std::uint32_t push(run::Row row) {
    row.id = static_cast<std::uint32_t>(out_.rows.size());
    row.gpu = gpu_number_;
    row.rank = program_.trace.rank;
    if (gpu_.repeats > 1) row.flags.emplace_back("tiled");
    out_.rows.push_back(std::move(row));
    return out_.rows.back().id;
  }

  run::Row measured_row(run::View view, const EnergySum& sum) const {
    run::Row row;
    row.view = view;
    row.launches = static_cast<std::uint64_t>(std::llround(sum.launches * gpu_.repeats));
    row.time_s = sum.time_s * gpu_.repeats;
    if (!sum.flops_unknown && sum.flops > 0) row.flops = sum.flops * gpu_.repeats;
    if (!gpu_.fit) {
      row.share_of_total = busy_s_ > 0 ? std::optional(sum.time_s / busy_s_) : std::nullopt;
      return row;
    }
    if (sum.covered_s <= 0 && sum.time_s > 0) return row;  // outside the readings: a time, but no energy
    add_energy(row, sum);
    return row;
  }

  void add_energy(run::Row& row, const EnergySum& sum) const {
    const PowerFit& fit = *gpu_.fit;
    const double joules = sum.joules(fit);
    const double sd = std::sqrt(sum.variance(fit));
    row.energy_j = joules * gpu_.repeats;
    row.share_of_total = *gpu_.total_j > 0 ? std::optional(*row.energy_j / *gpu_.total_j) : std::nullopt;
    // What the whole is, the counter says; only how it is divided has the systematic part.
    const double divided = 1 - std::clamp(row.share_of_total.value_or(0), 0.0, 1.0);
    const double systematic = std::hypot(systematic_half_width * divided, unexplained_) * joules;
    row.energy_ci95_j = around(*row.energy_j, gpu_.repeats * std::hypot(z95 * sd, systematic));
    if (sum.covered_s <= 0) return;
    row.power_w = joules / sum.covered_s;
    const double systematic_w = std::hypot(systematic_half_width, unexplained_) * joules / sum.covered_s;
    row.power_ci95_w = around(*row.power_w, std::hypot(z95 * sd / sum.covered_s, systematic_w));
    if (gpu_.clock.reference_mhz) {
      const double reference = sum.joules_at_reference(fit);
      row.power_at_reference_w = reference / sum.covered_s;
      const double half = std::hypot(z95 * std::sqrt(sum.variance_at_reference(fit)),
                                     std::hypot(systematic_half_width, unexplained_) * reference);
      row.power_at_reference_ci95_w = around(*row.power_at_reference_w, half / sum.covered_s);
    }
    if (!sum.flops_unknown && sum.covered_flops > 0) row.j_per_flop = joules / sum.covered_flops;
  }

  run::Row class_row(std::uint32_t k, const EnergySum& sum) const {
    run::Row row = measured_row(run::View::kernel_class, sum);
    const run::KernelClass& kernel = program_.trace.classes[k];
    row.name = program_.trace.names.at(kernel.name);
    if (kernel.grid) row.detail = fmt::format("grid {}, block {}", dims(kernel.grid), dims(kernel.block));
    if (gpu_.columns.class_is_tiny[k]) row.flags.emplace_back("tiny");
    if (!gpu_.fit) return row;
    const std::uint32_t column = gpu_.columns.of_class[k];
    if (column == run::none) return row;
    if (gpu_.columns.sole_class[column] == run::none && !gpu_.columns.class_is_tiny[k])
      row.flags.emplace_back("pooled");
    if (ties_.group[column] != run::none)
      row.flags.push_back(fmt::format("tied:{}", first_tie() + ties_.group[column]));
    constexpr double overshoot = 1.25;  // see power/measurement.cpp: from the sustained to the transient limit
    if (gpu_.transient_limit_w && row.power_at_reference_w.value_or(0) > 0.98 * *gpu_.transient_limit_w / overshoot)
      row.flags.emplace_back("power-capped");
    return row;
  }

  std::uint32_t first_tie() const { return tie_base_; }

  /// The sums of tied classes are what is known of them.
  void sum_ties(const Grouped& classes, std::size_t first_row) {
    if (!gpu_.fit || ties_.groups == 0) return;
    std::vector<EnergySum> sums(ties_.groups);
    std::vector<run::TiedGroup> groups(ties_.groups);
    for (const LaunchCell& cell : gpu_.cells) {
      const std::uint32_t g = ties_.group[gpu_.columns.of_class[cell.key.kernel_class]];
      if (g != run::none) sums[g].add(cell);
    }
    for (std::size_t i = 0; i < classes.key.size(); ++i) {
      const std::uint32_t g = ties_.group[gpu_.columns.of_class[classes.key[i]]];
      if (g != run::none) groups[g].rows.push_back(out_.rows[first_row + i].id);
    }
    for (std::uint32_t g = 0; g < ties_.groups; ++g) {
      run::Row whole;
      add_energy(whole, sums[g]);
      groups[g].id = first_tie() + g;
      groups[g].energy_j = whole.energy_j.value_or(0);
      groups[g].energy_ci95_j = whole.energy_ci95_j.value_or(run::Interval{});
      out_.tied.push_back(std::move(groups[g]));
    }
  }

  void explain(std::uint32_t k, const EnergySum& sum) {
    run::Explanation e;
    e.row = out_.rows.back().id;
    if (gpu_.fit && busy_s_ > 0)
      e.time_share_energy_j = *gpu_.total_j * sum.time_s * gpu_.repeats / (busy_s_ * gpu_.repeats);
    e.how = how(k);
    out_.explanations.push_back(std::move(e));
  }

  std::string how(std::uint32_t k) const {
    if (!gpu_.fit) return "durations from the trace; there is no power log, so no energy";
    const std::uint32_t column = gpu_.columns.of_class[k];
    if (gpu_.columns.class_is_tiny[k])
      return "too short to measure beside its neighbours: its time is charged at the power of the launch that follows";
    if (column == run::none) return "no time on the device";
    std::string text = gpu_.columns.sole_class[column] == run::none
                           ? fmt::format("measured together with other rare classes of its category ({})",
                                         to_string(gpu_.columns.category[column]))
                           : "measured by its own parameter of the fit";
    text += fmt::format(": {} counter windows and {} {}", gpu_.fit->windows, gpu_.fit->points,
                        to_string(gpu_.point_source));
    if (ties_.group[column] != run::none)
      return text + "; cannot be told apart from its tied group, whose sum is known";
    if (ties_.strongest_with[column] != run::none)
      text += fmt::format("; strongest tie to another class {:.2f}", ties_.strongest[column]);
    return text;
  }

  /// Rows by an index into a list of names; what has none comes last under `rest`.
  void add_named(run::View view, const std::vector<std::string>& names, const char* rest,
                 const std::function<std::uint32_t(const CellKey&)>& index_of) {
    Grouped groups = group(gpu_.cells, [&](const CellKey& k) { return index_of(k); });
    std::vector<std::size_t> order(groups.key.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return groups.key[a] < groups.key[b]; });
    for (const std::size_t i : order) {
      run::Row row = measured_row(view, groups.sum[i]);
      row.name = groups.key[i] == run::none ? rest : names[groups.key[i]];
      push(std::move(row));
    }
  }

  void add_phases() {
    const Grouped phases = group(gpu_.cells, phase_key);
    for (std::size_t i = 0; i < phases.key.size(); ++i) {
      const auto phase = static_cast<Phase>(phases.key[i] / 4);
      const bool waiting = phases.key[i] % 4 >= 2;
      const bool overlapped = phases.key[i] % 2 == 1;
      run::Row row = measured_row(run::View::phase, phases.sum[i]);
      row.name = to_string(phase);
      if (phase == Phase::communication) {
        const std::string exposure = overlapped ? "overlapped" : "exposed";
        row.name += waiting ? " (waiting, " + exposure + ")" : " (" + exposure + ")";
        row.flags.push_back(exposure);
        if (waiting) row.flags.emplace_back("waiting");
      }
      push(std::move(row));
    }
    if (gpu_.fit) add_rest();
  }

  /// Idle seconds of the window inside some host ranges.
  double idle_during(const std::vector<run::HostRange>& ranges) const {
    const Timeline& t = gpu_.timeline;
    std::vector<float> busy(t.bins, 0.0F);
    for (const BinShare& share : t.shares) busy[share.bin] += share.seconds;
    double idle = 0;
    double done_s = gpu_.window.from_s;
    for (const run::HostRange& range : ranges) {
      const double from = std::max(done_s, static_cast<double>(range.start_ns - t.origin_ns) * 1e-9);
      const double to = std::min(gpu_.window.to_s, static_cast<double>(range.end_ns - t.origin_ns) * 1e-9);
      for (auto bin = static_cast<std::uint32_t>(from / t.bin_s); bin < t.bins && bin * t.bin_s < to; ++bin) {
        const double inside = std::min(to, (bin + 1) * t.bin_s) - std::max(from, bin * t.bin_s);
        if (inside > 0) idle += inside * std::max(0.0, 1 - static_cast<double>(busy[bin]) / t.bin_s);
      }
      done_s = std::max(done_s, to);
    }
    return std::min(idle, gpu_.idle_s);
  }

  void add_rest() {
    const PowerFit& fit = *gpu_.fit;
    const auto& c = fit.covariance;
    const auto variance = [&](Eigen::Index i) { return c(0, 0) + 2 * c(0, i) + c(i, i); };
    const double loading_s = gpu_.repeats > 1 ? 0 : idle_during(program_.structure.data_loading);
    const auto idle = [&](const char* name, double seconds, double watts, double sd, const char* flag) {
      if (seconds <= 0) return;
      run::Row row;
      row.view = run::View::phase;
      row.name = name;
      row.time_s = seconds * gpu_.repeats;
      row.energy_j = watts * row.time_s;
      row.energy_ci95_j = around(*row.energy_j, z95 * sd * row.time_s);
      row.power_w = watts;
      row.power_ci95_w = around(watts, z95 * sd);
      if (*gpu_.total_j > 0) row.share_of_total = *row.energy_j / *gpu_.total_j;
      row.flags.emplace_back(flag);
      push(std::move(row));
    };
    idle("execution-idle", gpu_.idle_s - loading_s, fit.idle_w(), std::sqrt(variance(fit.at.idle())), "idle");
    idle("data loading", loading_s, fit.idle_w(), std::sqrt(variance(fit.at.idle())), "idle");
    idle("launch gaps", gpu_.gap_s, fit.gap_w(), std::sqrt(variance(fit.at.gap())), "idle");
    run::Row rest;
    rest.view = run::View::phase;
    rest.name = "unattributed";
    rest.energy_j = gpu_.unattributed_j();
    if (*gpu_.total_j > 0) rest.share_of_total = *rest.energy_j / *gpu_.total_j;
    rest.flags.emplace_back("unattributed");
    push(std::move(rest));
  }

  /// Without shapes the work of all matrix products together may still be known, by the model's size.
  void estimate_flops(run::Row& row, Category category, const EnergySum& sum) const {
    const auto& model = program_.structure.model_flops;
    if (category != Category::matrix_product || !model || !sum.flops_unknown || sum.time_s <= 0) return;
    double all_s = 0;  // of the matrix products in whole iterations
    for (const std::uint32_t index : gpu_.timeline.launches) {
      const run::Launch& launch = program_.trace.launches[index];
      const bool inside = program_.structure.launch_iteration[index] != run::none;
      if (inside && program_.structure.class_category[launch.kernel_class] == category)
        all_s += static_cast<double>(launch.duration_ns) * 1e-9;
    }
    const auto iterations = static_cast<double>(program_.structure.iterations.size());
    if (all_s <= 0 || iterations < 1) return;
    const double flops_per_second = model->per_iteration * iterations / all_s;
    row.flops = flops_per_second * sum.time_s * gpu_.repeats;
    row.flags.emplace_back("flops-estimated");
    if (row.energy_j && sum.covered_time_s > 0)
      row.j_per_flop = *row.energy_j / gpu_.repeats / (flops_per_second * sum.covered_time_s);
  }

  const GpuEnergy& gpu_;
  const TracedProgram& program_;
  int gpu_number_;
  run::Attribution& out_;
  ColumnKnowledge ties_;
  std::uint32_t tie_base_ = static_cast<std::uint32_t>(out_.tied.size());
  double busy_s_ = 0;
  /// Part of the total that the fit leaves over or claims too much, beyond what is usual: it may be any row's.
  double unexplained_ = 0;
  static constexpr double usual_misfit = 0.02;
};

}  // namespace

void add_rows(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number, run::Attribution& attribution) {
  RowBuilder(gpu, program, gpu_number, attribution).build();
}

}  // namespace kernwatt::attribution
