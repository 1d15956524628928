// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernwatt/attribution/power_log/reading_rhythm.hpp"

namespace kernwatt::attribution {
namespace {

/// Sums from which the squared error of any run follows in constant time.
class PrefixSums {
 public:
  explicit PrefixSums(const std::vector<double>& bins) : sum_(bins.size() + 1), squares_(bins.size() + 1) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
      sum_[i + 1] = sum_[i] + bins[i];
      squares_[i + 1] = squares_[i] + bins[i] * bins[i];
    }
  }
  double mean(std::size_t first, std::size_t last) const {
    return (sum_[last] - sum_[first]) / static_cast<double>(last - first);
  }
  double squared_error(std::size_t first, std::size_t last) const {
    const double sum = sum_[last] - sum_[first];
    return std::max(0.0, squares_[last] - squares_[first] - sum * sum / static_cast<double>(last - first));
  }
  LevelRun run(std::size_t first, std::size_t last) const {
    return {first, last, mean(first, last), std::sqrt(squared_error(first, last) / static_cast<double>(last - first)),
            std::nullopt};
  }

 private:
  std::vector<double> sum_;
  std::vector<double> squares_;
};

/// Deviation of the bins from a level, by the median step from one to the next, which is 0.954 of it for normal noise.
/// Of a swing the steps from each bin to the like one of the next turn are the noise, so several distances are tried.
double noise_of(const std::vector<double>& bins) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t distance = 1; distance <= 6 && distance < bins.size(); ++distance) {
    std::vector<double> steps;
    steps.reserve(bins.size());
    for (std::size_t i = distance; i < bins.size(); ++i) steps.push_back(std::abs(bins[i] - bins[i - distance]));
    least = std::min(least, median_of(std::move(steps)).value_or(0) / 0.954);
  }
  return std::isfinite(least) ? least : 0;
}

double penalty_of(const std::vector<double>& bins) {
  const auto [least, greatest] = std::minmax_element(bins.begin(), bins.end());
  // A hundredth of the range, or half a watt, is noise too.
  const double noise = std::max({noise_of(bins), 0.01 * (*greatest - *least), 0.5});
  return 3 * noise * noise * std::log(static_cast<double>(bins.size()) + 1);
}

std::vector<std::size_t> optimal_cuts(const PrefixSums& sums, std::size_t count, std::size_t shortest, double penalty) {
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(count + 1, 0);
  best[0] = -penalty;
  std::vector<std::size_t> candidates{0};
  for (std::size_t end = shortest; end <= count; ++end) {
    for (const std::size_t start : candidates) {
      if (end - start < shortest) continue;
      const double cost = best[start] + sums.squared_error(start, end) + penalty;
      if (cost >= best[end]) continue;
      best[end] = cost;
      from[end] = start;
    }
    std::erase_if(candidates, [&](std::size_t start) {
      return end - start >= 2 * shortest && best[start] + sums.squared_error(start, end) > best[end];
    });
    if (end >= shortest && std::isfinite(best[end])) candidates.push_back(end);
  }
  std::vector<std::size_t> cuts;
  for (std::size_t at = count; at > 0; at = from[at]) cuts.push_back(at);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

double range_of(const std::vector<LevelRun>& runs) {
  const auto [low, high] = std::minmax_element(runs.begin(), runs.end(),
                                               [](const LevelRun& a, const LevelRun& b) { return a.mean < b.mean; });
  return high->mean - low->mean;
}

double contrast(const LevelRun& a, const LevelRun& b, double range) {
  const auto na = static_cast<double>(a.last - a.first);
  const auto nb = static_cast<double>(b.last - b.first);
  const double within = std::sqrt((na * a.spread * a.spread + nb * b.spread * b.spread) / (na + nb));
  return level_contrast(a.mean, b.mean, range, within);
}

/// A shortest run between two levels is most often the bins across a step: they belong to the nearer level.
void give_up_transitions(std::vector<LevelRun>& runs, const PrefixSums& sums, std::size_t shortest) {
  for (std::size_t i = 1; i + 1 < runs.size();) {
    const LevelRun& before = runs[i - 1];
    const LevelRun& after = runs[i + 1];
    const double low = std::min(before.mean, after.mean);
    const double high = std::max(before.mean, after.mean);
    const bool between = runs[i].mean > low && runs[i].mean < high;
    if (runs[i].last - runs[i].first > shortest || !between) {
      ++i;
      continue;
    }
    const bool to_before = std::abs(runs[i].mean - before.mean) < std::abs(runs[i].mean - after.mean);
    const std::size_t into = to_before ? i - 1 : i + 1;
    runs[into] = sums.run(std::min(runs[into].first, runs[i].first), std::max(runs[into].last, runs[i].last));
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void join_alike(std::vector<LevelRun>& runs, const PrefixSums& sums) {
  while (runs.size() > 1) {
    const double range = range_of(runs);
    std::size_t least = 0;
    double least_contrast = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      const double found = contrast(runs[i], runs[i + 1], range);
      if (found >= least_contrast) continue;
      least_contrast = found;
      least = i;
    }
    if (least_contrast >= 1) return;
    runs[least] = sums.run(runs[least].first, runs[least + 1].last);
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
}

std::size_t length(const LevelRun& run) { return run.last - run.first; }

bool repeats(const LevelRun& a, const LevelRun& b, double range) {
  const auto shorter = static_cast<double>(std::min(length(a), length(b)));
  const auto longer = static_cast<double>(std::max(length(a), length(b)));
  return std::abs(a.mean - b.mean) <= std::max(0.12 * range, 5.0) && longer <= std::max(1.4 * shorter, shorter + 1);
}

/// From `at`, how many runs repeat those `turn` before them, the first `turn` included.
std::size_t length_of_turns(const std::vector<LevelRun>& runs, std::size_t at, std::size_t turn, double range) {
  std::size_t count = turn;
  while (at + count < runs.size() && repeats(runs[at + count - turn], runs[at + count], range)) ++count;
  return count;
}

/// Three turns of a quick swing are one phase; slow ones are phases of their own, unless there are very many.
bool is_swing(std::size_t count, std::size_t turn, double turn_s) {
  const std::size_t turns = count / turn;
  return (turns >= 3 && turn_s <= 10) || turns >= 20;
}

/// From `at`, how many runs make a level to which the power returns again and again, however long it was away.
std::size_t length_of_returns(const std::vector<LevelRun>& runs, std::size_t at, double range) {
  std::size_t count = 1;
  while (at + count + 1 < runs.size()) {
    const bool below = runs[at + count].mean < runs[at].mean;
    const bool same_side = below == (runs[at + 1].mean < runs[at].mean);
    const bool returned = std::abs(runs[at + count + 1].mean - runs[at].mean) <= std::max(0.12 * range, 5.0);
    if (!same_side || !returned) break;
    count += 2;
  }
  return count;
}

/// Five returns, each within ten seconds, and the level is the phase, not its interruptions.
bool is_returning(std::size_t count, double turn_s) {
  const std::size_t returns = count / 2;
  return (returns >= 5 && turn_s <= 10) || returns >= 20;
}

void join_swings(std::vector<LevelRun>& runs, const PrefixSums& sums, double bin_s) {
  if (runs.size() < 6) return;
  const double range = range_of(runs);
  std::vector<LevelRun> joined;
  joined.reserve(runs.size());
  for (std::size_t at = 0; at < runs.size();) {
    std::size_t taken = 1;
    LevelRun run = runs[at];
    const auto take = [&](std::size_t count, std::size_t turn, const auto& is_enough) {
      count = std::min(count, runs.size() - at);
      const auto bins = static_cast<double>(runs[at + count - 1].last - runs[at].first);
      const double turn_bins = bins * static_cast<double>(turn) / static_cast<double>(count);
      if (count <= taken || !is_enough(count, turn_bins * bin_s)) return;
      taken = count;
      run = sums.run(runs[at].first, runs[at + count - 1].last);
      run.period_bins = turn_bins;
    };
    for (const std::size_t turn : {2U, 3U, 4U})
      take(length_of_turns(runs, at, turn, range), turn,
           [turn](std::size_t count, double turn_s) { return is_swing(count, turn, turn_s); });
    take(length_of_returns(runs, at, range), 2, is_returning);
    joined.push_back(run);
    at += taken;
  }
  runs = std::move(joined);
}

}  // namespace

double level_contrast(double a, double b, double range, double spread) {
  const double matters = std::max({0.05 * range, 0.03 * std::max(a, b), 3.0, spread});
  return std::abs(a - b) / matters;
}

std::vector<LevelRun> level_runs(const std::vector<double>& bins, std::size_t shortest, double bin_s) {
  if (bins.empty()) return {};
  const PrefixSums sums(bins);
  if (bins.size() < 2 * shortest) return {sums.run(0, bins.size())};
  std::vector<LevelRun> runs;
  std::size_t first = 0;
  for (const std::size_t cut : optimal_cuts(sums, bins.size(), shortest, penalty_of(bins))) {
    runs.push_back(sums.run(first, cut));
    first = cut;
  }
  join_alike(runs, sums);
  give_up_transitions(runs, sums, shortest);
  join_swings(runs, sums, bin_s);
  return runs;
}

}  // namespace kernwatt::attribution
