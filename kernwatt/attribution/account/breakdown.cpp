// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/breakdown.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernwatt/attribution/account/energy_rows.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Spans of one row beyond this many are joined: no screen shows more.
constexpr std::size_t most_spans = 4000;

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Joins neighbours that are at most `gap_ns` apart. Precondition: sorted by start.
Spans joined(const Spans& spans, std::int64_t gap_ns) {
  Spans out;
  for (const auto& [start, end] : spans) {
    if (!out.empty() && start - out.back().second <= gap_ns) {
      out.back().second = std::max(out.back().second, end);
    } else {
      out.emplace_back(start, end);
    }
  }
  return out;
}

Spans drawable(Spans spans) {
  std::sort(spans.begin(), spans.end());
  constexpr std::int64_t first_gap_ns = 20'000;
  spans = joined(spans, first_gap_ns);
  for (std::int64_t gap_ns = 2 * first_gap_ns; spans.size() > most_spans; gap_ns *= 2) spans = joined(spans, gap_ns);
  return spans;
}

/// Finds the rows that energy_rows.cpp made of the same cells: it makes them in the order of first appearance, those
/// with a list of names in the order of the list.
class Crossing {
 public:
  Crossing(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row, run::Attribution& out)
      : gpu_(gpu), program_(program), out_(out), first_row_(first_row) {
    std::vector<std::uint32_t> classes;
    std::vector<std::uint64_t> phases;
    std::vector<std::uint32_t> operators;
    std::vector<std::uint32_t> layers;
    for (const LaunchCell& cell : gpu.cells) {
      classes.push_back(cell.key.kernel_class);
      phases.push_back(phase_key(cell.key));
      operators.push_back(cell.key.op);
      layers.push_back(cell.key.layer);
    }
    std::sort(operators.begin(), operators.end());
    std::sort(layers.begin(), layers.end());
    class_row_ = rows_in_order(run::View::kernel_class, classes);
    phase_row_ = rows_in_order(run::View::phase, phases);
    operator_row_ = rows_in_order(run::View::operator_, operators);
    layer_row_ = rows_in_order(run::View::layer, layers);
  }

  void add_cells() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> place;
    std::vector<run::Cell>& cells = out_.breakdown.cells;
    for (const LaunchCell& cell : gpu_.cells) {
      const auto phase = phase_row_.find(phase_key(cell.key));
      if (phase == phase_row_.end()) continue;
      const auto [at, added] = place.try_emplace({class_row_.at(cell.key.kernel_class), operator_row_.at(cell.key.op),
                                                  layer_row_.at(cell.key.layer), phase->second},
                                                 cells.size());
      const auto [class_row, operator_row, layer_row, phase_row] = at->first;
      if (added) cells.push_back({class_row, operator_row, layer_row, phase_row, 0, 0, unknown, 0, 0});
      sum_into(cells[at->second], cell);
    }
  }

  void add_spans() {
    add_iteration_spans();
    std::map<std::uint32_t, Spans> spans;
    for (const std::uint32_t index : gpu_.timeline.launches) {
      const run::Launch& launch = program_.trace.launches[index];
      CellKey key;
      key.phase = program_.structure.launch_phase[index];
      for (const bool waiting : {false, true})
        for (const bool overlapped : {false, true}) {
          key.waiting = waiting, key.overlapped = overlapped;
          if (const auto row = phase_row_.find(phase_key(key)); row != phase_row_.end())
            spans[row->second].emplace_back(launch.start_ns, launch.end_ns());
        }
    }
    for (auto& [row, list] : spans)
      for (const auto& [start, end] : drawable(std::move(list))) out_.breakdown.spans.push_back({row, start, end});
  }

 private:
  /// Keys in order of first appearance -> ids of the view's rows, which are in the same order.
  template <class Key>
  std::unordered_map<Key, std::uint32_t> rows_in_order(run::View view, const std::vector<Key>& keys) const {
    std::unordered_map<Key, std::uint32_t> rows;
    std::size_t at = first_row_;
    for (const Key key : keys) {
      if (rows.count(key) != 0) continue;
      while (at < out_.rows.size() && out_.rows[at].view != view) ++at;
      if (at == out_.rows.size()) break;
      rows.emplace(key, out_.rows[at++].id);
    }
    return rows;
  }

  void sum_into(run::Cell& sum, const LaunchCell& cell) const {
    sum.launches += cell.launches * gpu_.repeats;
    sum.time_s += cell.time_s * gpu_.repeats;
    sum.flops += cell.flops_unknown ? unknown : cell.flops * gpu_.repeats;
    if (!gpu_.fit || !cell.key.covered) return;
    sum.energy_j = (std::isnan(sum.energy_j) ? 0 : sum.energy_j) + gpu_.cell_j(cell);
    sum.measured_s += cell.owned_s * gpu_.repeats;
  }

  /// Iterations that are looked at have a row each, in their order (iteration_rows.cpp).
  void add_iteration_spans() {
    std::size_t at = first_row_;
    const auto seconds = [&](std::int64_t ns) { return static_cast<double>(ns - gpu_.timeline.origin_ns) * 1e-9; };
    for (const IterationSpan& span : program_.structure.iterations) {
      if (seconds(span.end_ns) <= gpu_.selected.from_s || seconds(span.start_ns) >= gpu_.selected.to_s) continue;
      while (at < out_.rows.size() && out_.rows[at].view != run::View::iteration) ++at;
      if (at == out_.rows.size()) return;
      out_.breakdown.spans.push_back({out_.rows[at++].id, span.start_ns, std::max(span.start_ns, span.end_ns)});
    }
  }

  const GpuEnergy& gpu_;
  const TracedProgram& program_;
  run::Attribution& out_;
  std::uint32_t first_row_;
  std::unordered_map<std::uint32_t, std::uint32_t> class_row_, operator_row_, layer_row_;
  std::unordered_map<std::uint64_t, std::uint32_t> phase_row_;
};

}  // namespace

void add_breakdown(const GpuEnergy& gpu, const TracedProgram& program, std::uint32_t first_row,
                   run::Attribution& attribution) {
  Crossing crossing(gpu, program, first_row, attribution);
  crossing.add_cells();
  crossing.add_spans();
}

}  // namespace kernwatt::attribution
