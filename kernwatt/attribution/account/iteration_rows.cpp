// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernwatt/attribution/account/energy_rows.hpp"

namespace kernwatt::attribution {
namespace {

struct Counted {
  std::uint64_t launches = 0;
  double time_s = 0;
  double flops = 0;
};

std::vector<Counted> count_by_iteration(const GpuEnergy& gpu, const TracedProgram& program) {
  std::vector<Counted> counted(program.structure.iterations.size() + 1);
  for (const std::uint32_t index : gpu.timeline.launches) {
    const std::uint32_t i = program.structure.launch_iteration[index];
    const double start_s = static_cast<double>(program.trace.launches[index].start_ns - gpu.timeline.origin_ns) * 1e-9;
    const bool outside = i >= program.structure.iterations.size();
    if (outside && (start_s < gpu.selected.from_s || start_s >= gpu.selected.to_s)) continue;
    Counted& c = counted[std::min<std::size_t>(i, counted.size() - 1)];
    ++c.launches;
    c.time_s += static_cast<double>(program.trace.launches[index].duration_ns) * 1e-9;
  }
  for (const LaunchFlops& f : program.structure.launch_flops)
    counted[std::min<std::size_t>(program.structure.launch_iteration[f.launch], counted.size() - 1)].flops += f.flops;
  return counted;
}

class IterationRows {
 public:
  IterationRows(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number, run::Attribution& out)
      : gpu_(gpu), program_(program), gpu_number_(gpu_number), out_(out) {
    // With --tile the window is wider than what was measured launch by launch.
    if (gpu.measured)
      known_ = {std::max(gpu.window.from_s, gpu.measured->first_s()),
                std::min(gpu.window.to_s, gpu.measured->last_s())};
  }

  std::vector<double> build() {
    const std::vector<Counted> counted = count_by_iteration(gpu_, program_);
    const bool flops_known = program_.structure.launches_without_flops.empty();
    std::vector<double> whole;
    double inside_j = 0;
    double done_s = known_.from_s;
    for (std::size_t i = 0; i + 1 < counted.size(); ++i) {
      const IterationSpan& span = program_.structure.iterations[i];
      const double from = seconds(span.start_ns);
      const double to = seconds(span.end_ns);
      if (to <= gpu_.selected.from_s || from >= gpu_.selected.to_s) continue;
      run::Row row = start(span.name, counted[i].launches, counted[i].time_s);
      if (flops_known && counted[i].flops > 0) row.flops = counted[i].flops;
      const double begin = std::max(from, done_s);  // iterations of several streams may overlap a little
      if (gpu_.measured && from >= known_.from_s - 1e-9 && to <= known_.to_s + 1e-9 && to > begin) {
        set_energy(row, begin, to);
        inside_j += *row.energy_j;
        whole.push_back(*row.energy_j);
        done_s = to;
      }
      push(std::move(row));
    }
    add_outside(counted.back(), inside_j);
    return whole;
  }

 private:
  double seconds(std::int64_t ns) const { return static_cast<double>(ns - gpu_.timeline.origin_ns) * 1e-9; }

  static run::Row start(std::string name, std::uint64_t launches, double time_s) {
    run::Row row;
    row.view = run::View::iteration;
    row.name = std::move(name);
    row.launches = launches;
    row.time_s = time_s;
    return row;
  }

  void set_energy(run::Row& row, double begin_s, double end_s) const {
    const double joules = gpu_.measured->between(begin_s, end_s);
    const double length_s = end_s - begin_s;
    row.energy_j = joules;
    // Each end lies somewhere in a window between two readings, which the model divides; in a long window (a hole in
    // the log) that division is worth little.
    const double windows_s = std::hypot(gpu_.measured->window_s(begin_s), gpu_.measured->window_s(end_s));
    const double division =
        windows_s > 1 ? 0.10 : 0.03;  // of the power: how far the model's shape may be off inside a window
    const double residual_w = gpu_.fit ? std::max(gpu_.fit->counter_residual_w, gpu_.fit->point_residual_w) : 0;
    const double off_w = std::max(residual_w, division * joules / length_s);
    const double sd = off_w * std::min(windows_s, length_s) / 2;
    row.energy_ci95_j = run::Interval{joules - 1.96 * sd, joules + 1.96 * sd};
    row.power_w = joules / length_s;
    row.power_ci95_w = run::Interval{(joules - 1.96 * sd) / length_s, (joules + 1.96 * sd) / length_s};
    if (*gpu_.total_j > 0) row.share_of_total = joules / *gpu_.total_j;
    if (row.flops) row.j_per_flop = joules / *row.flops;
  }

  /// So that the view adds up to the total: before the first, after the last, between, and iterations cut by the ends.
  void add_outside(const Counted& counted, double inside_j) {
    const bool nothing = counted.launches == 0 && !gpu_.measured;
    if (nothing || gpu_.selected.length_s() <= 0) return;
    run::Row row = start("outside iterations", counted.launches, counted.time_s);
    row.flags.emplace_back("outside");
    if (gpu_.measured) {
      const double total = *gpu_.total_j;
      row.energy_j = total - inside_j;
      if (total > 0) row.share_of_total = *row.energy_j / total;
    }
    push(std::move(row));
  }

  void push(run::Row row) {
    row.id = static_cast<std::uint32_t>(out_.rows.size());
    row.gpu = gpu_number_;
    row.rank = program_.trace.rank;
    out_.rows.push_back(std::move(row));
  }

  const GpuEnergy& gpu_;
  const TracedProgram& program_;
  int gpu_number_;
  run::Attribution& out_;
  Span known_;
};

}  // namespace

std::vector<double> add_iteration_rows(const GpuEnergy& gpu, const TracedProgram& program, int gpu_number,
                                       run::Attribution& attribution) {
  return IterationRows(gpu, program, gpu_number, attribution).build();
}

}  // namespace kernwatt::attribution
