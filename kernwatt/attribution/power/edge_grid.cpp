// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/edge_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace kernwatt::attribution {
namespace {

/// One step of the counter happened in (low, high].
struct Bracket {
  double low_ns;
  double high_ns;
  std::int64_t energy_mj;
};

struct Grid {
  double period_ns = 0;
  double phase_ns = 0;
  double width_ns = 0;
  int satisfied = 0;
};

std::vector<Bracket> brackets_of(const run::Series<std::int64_t>& counter, std::int64_t origin_ns, double max_power_w) {
  std::vector<Bracket> brackets;
  // Energy is summed from accepted rises, so that a counter that restarts from 0 leaves a gap instead of a debt.
  std::int64_t sum_mj = 0;
  for (std::size_t i = 1; i < counter.size(); ++i) {
    const std::int64_t rise = counter.value[i] - counter.value[i - 1];
    const double dt_s = static_cast<double>(counter.time_ns[i] - counter.time_ns[i - 1]) * 1e-9;
    if (rise <= 0) continue;
    // A poll just after a step sees the energy of one whole period, however close the two polls were.
    if (static_cast<double>(rise) * 1e-3 > max_power_w * (dt_s + 1.0)) continue;
    sum_mj += rise;
    brackets.push_back({static_cast<double>(counter.time_ns[i - 1] - origin_ns),
                        static_cast<double>(counter.time_ns[i] - origin_ns), sum_mj});
  }
  return brackets;
}

double median_step_ns(const std::vector<Bracket>& brackets) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < brackets.size(); ++i) steps.push_back(brackets[i].high_ns - brackets[i - 1].high_ns);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/// The phase that lies in the most brackets, for one period: a sweep over the brackets' ends.
Grid best_phase(const std::vector<Bracket>& brackets, const std::vector<double>& step_number, double period_ns) {
  struct End {
    double at;
    int change;
  };
  std::vector<End> ends;
  ends.reserve(2 * brackets.size());
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    ends.push_back({brackets[i].low_ns - step_number[i] * period_ns, 1});
    ends.push_back({brackets[i].high_ns - step_number[i] * period_ns, -1});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.at < b.at; });
  Grid best{period_ns, 0, 0, 0};
  int open = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    open += ends[i].change;
    if (open > best.satisfied) best = {period_ns, (ends[i].at + ends[i + 1].at) / 2, ends[i + 1].at - ends[i].at, open};
  }
  return best;
}

Grid fit_grid(const std::vector<Bracket>& brackets, double nominal_ns, std::vector<double>& step_number) {
  const double first = (brackets.front().low_ns + brackets.front().high_ns) / 2;
  step_number.clear();
  for (const Bracket& b : brackets)
    step_number.push_back(std::round(((b.low_ns + b.high_ns) / 2 - first) / nominal_ns));
  constexpr int half = 200;  // oscillators agree to 300 ppm; finer than that is found by trial
  constexpr double reach = 300e-6;
  Grid best;
  for (int i = -half; i <= half; ++i) {
    const Grid grid = best_phase(brackets, step_number, nominal_ns * (1 + reach * i / half));
    const bool better =
        grid.satisfied > best.satisfied || (grid.satisfied == best.satisfied && grid.width_ns > best.width_ns);
    if (better) best = grid;
  }
  return best;
}

CounterEdges middles(const std::vector<Bracket>& brackets) {
  CounterEdges edges;
  for (const Bracket& b : brackets) {
    edges.time_ns.push_back((b.low_ns + b.high_ns) / 2);
    edges.energy_mj.push_back(b.energy_mj);
    edges.uncertainty_ns = std::max(edges.uncertainty_ns, (b.high_ns - b.low_ns) / 2);
  }
  return edges;
}

/// Periods that vendors use; a measured one within 3 % is taken for it, so that steps are counted right.
double round_period(double measured_ns) {
  for (const double known_ns : {20e6, 50e6, 100e6, 1000e6})
    if (std::abs(measured_ns / known_ns - 1) < 0.03) return known_ns;
  return measured_ns;
}

}  // namespace

CounterEdges find_counter_edges(const run::Series<std::int64_t>& energy_mj, std::int64_t origin_ns,
                                double max_power_w) {
  const std::vector<Bracket> brackets = brackets_of(energy_mj, origin_ns, max_power_w);
  if (brackets.size() < 2) return {};
  if (brackets.size() < 8) return middles(brackets);
  const double nominal_ns = round_period(median_step_ns(brackets));
  std::vector<Bracket> narrow;  // a hole in the polls says nothing about the phase
  std::copy_if(brackets.begin(), brackets.end(), std::back_inserter(narrow),
               [&](const Bracket& b) { return b.high_ns - b.low_ns < nominal_ns; });
  if (narrow.size() < 8) return middles(brackets);
  std::vector<double> step_number;
  const Grid grid = fit_grid(narrow, nominal_ns, step_number);
  if (grid.satisfied < 0.7 * static_cast<double>(narrow.size())) return middles(brackets);
  constexpr double slack_ns = 2e6;  // a poll's time stamp is taken beside the call, which takes up to some ms
  CounterEdges edges;
  edges.period_ns = grid.period_ns;
  edges.uncertainty_ns = grid.width_ns / 2;
  for (const Bracket& bracket : brackets) {
    // What a poll shows is the last step before it; after a hole there were several, and this is their end.
    const double middle_ns = (bracket.low_ns + bracket.high_ns) / 2;
    const bool hole = bracket.high_ns - bracket.low_ns >= nominal_ns;
    const double number = (hole ? bracket.high_ns : middle_ns) - grid.phase_ns;
    const double at = grid.phase_ns + grid.period_ns * (hole ? std::floor(number / grid.period_ns)
                                                             : std::round(number / grid.period_ns));
    if (at <= bracket.low_ns - slack_ns || at >= bracket.high_ns + slack_ns) {
      ++edges.off_grid;
      continue;
    }
    const bool same_step = !edges.time_ns.empty() && at - edges.time_ns.back() < grid.period_ns / 2;
    if (same_step) {
      edges.energy_mj.back() = bracket.energy_mj;
      continue;
    }
    edges.time_ns.push_back(at);
    edges.energy_mj.push_back(bracket.energy_mj);
  }
  return edges;
}

}  // namespace kernwatt::attribution
