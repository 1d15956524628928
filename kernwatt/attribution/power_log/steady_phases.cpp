// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/steady_phases.hpp"

#include <algorithm>
#include <cmath>

#include "kernwatt/attribution/power_log/change_points.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::size_t most_bins = 2000;
constexpr std::size_t shortest_bins = 3;
/// More than this many lines say less than fewer: then shorter phases are joined to their neighbours.
constexpr std::size_t most_phases = 60;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// A bin without readings takes the last level before it.
std::vector<double> filled(const BinnedPower& power) {
  std::vector<double> bins;
  bins.reserve(power.watts.size());
  const auto first = std::find_if(power.watts.begin(), power.watts.end(),
                                  [](const std::optional<double>& w) { return w.has_value(); });
  if (first == power.watts.end()) return bins;
  double last = **first;
  for (const std::optional<double>& watts : power.watts) {
    last = watts.value_or(last);
    bins.push_back(last);
  }
  return bins;
}

std::vector<double> halved(const std::vector<double>& bins) {
  std::vector<double> pairs;
  pairs.reserve(bins.size() / 2 + 1);
  for (std::size_t i = 0; i + 1 < bins.size(); i += 2) pairs.push_back((bins[i] + bins[i + 1]) / 2);
  if (bins.size() % 2 == 1) pairs.push_back(bins.back());
  return pairs;
}

/// The boundary between two steps, within a bin and a half of where it was found, that parts the two levels best.
std::int64_t refined(const PowerCurve& curve, std::int64_t around_ns, double bin_s, double before_w, double after_w) {
  const auto reach_ns = static_cast<std::int64_t>(1.5 * bin_s * 1e9);
  std::int64_t best_ns = around_ns;
  double gain = 0;
  double best_gain = 0;
  bool first = true;
  for (std::size_t i = curve.step_at(around_ns - reach_ns); i < curve.size(); ++i) {
    const std::int64_t start = curve.start_ns(i);
    if (start > around_ns + reach_ns) break;
    // Gain of calling everything up to here "before", over calling it "after".
    if (start >= around_ns - reach_ns && (first || gain > best_gain)) {
      best_gain = gain;
      best_ns = start;
      first = false;
    }
    const double w = curve.watts(i);
    const double to_before = (w - before_w) * (w - before_w);
    const double to_after = (w - after_w) * (w - after_w);
    gain += (to_after - to_before) * seconds(curve.end_ns(i) - start);
  }
  return best_ns;
}

double mean_of(const PowerCurve& curve, const SteadyPhase& phase) {
  double joules = 0;
  for (std::size_t i = curve.step_at(phase.start_ns); i < curve.size() && curve.start_ns(i) < phase.end_ns; ++i)
    joules +=
        curve.watts(i) * seconds(std::min(curve.end_ns(i), phase.end_ns) - std::max(curve.start_ns(i), phase.start_ns));
  return joules / seconds(phase.end_ns - phase.start_ns);
}

/// With the cuts where they belong, levels are sharper: some phases turn out to be one.
void join_alike(std::vector<SteadyPhase>& phases, const PowerCurve& curve) {
  for (SteadyPhase& phase : phases) phase.level_w = mean_of(curve, phase);
  const auto [low, high] = std::minmax_element(
      phases.begin(), phases.end(), [](const SteadyPhase& a, const SteadyPhase& b) { return a.level_w < b.level_w; });
  const double range = phases.empty() ? 0 : high->level_w - low->level_w;
  for (std::size_t i = 0; i + 1 < phases.size();) {
    SteadyPhase& phase = phases[i];
    const SteadyPhase& next = phases[i + 1];
    if (phase.period_s.has_value() != next.period_s.has_value() ||
        level_contrast(phase.level_w, next.level_w, range, 0) >= 1) {
      ++i;
      continue;
    }
    phase.end_ns = next.end_ns;
    phase.level_w = mean_of(curve, phase);
    phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i > 0) --i;
  }
}

std::size_t bins_for(double span_s, double update_s, std::size_t steps) {
  const double widest = std::max({std::min(0.5, span_s / 60), 2 * update_s, span_s / most_bins});
  const auto bins = static_cast<std::size_t>(span_s / widest);
  return std::clamp<std::size_t>(bins, 1, std::max<std::size_t>(steps, 1));
}

}  // namespace

std::vector<SteadyPhase> steady_phases(const PowerCurve& curve, std::int64_t from_ns, std::int64_t to_ns,
                                       double update_s, double gap_s) {
  if (from_ns >= to_ns || curve.size() == 0) return {};
  const double span_s = seconds(to_ns - from_ns);
  const BinnedPower power = binned(curve, from_ns, to_ns, bins_for(span_s, update_s, curve.size()), gap_s);
  std::vector<double> bins = filled(power);
  if (bins.empty()) return {};
  double bin_s = power.bin_s;
  const std::size_t shortest = bins.size() < 40 ? 2 : shortest_bins;
  std::vector<LevelRun> runs = level_runs(bins, shortest, bin_s);
  while (runs.size() > most_phases) {
    bins = halved(bins);
    bin_s *= 2;
    runs = level_runs(bins, shortest, bin_s);
  }
  std::vector<SteadyPhase> phases;
  phases.reserve(runs.size());
  std::int64_t start_ns = from_ns;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SteadyPhase& phase = phases.emplace_back();
    phase.start_ns = start_ns;
    phase.end_ns = to_ns;
    phase.level_w = runs[i].mean;
    if (runs[i].period_bins) phase.period_s = *runs[i].period_bins * bin_s;
    if (i + 1 == runs.size()) break;
    const auto coarse_ns = from_ns + static_cast<std::int64_t>(static_cast<double>(runs[i].last) * bin_s * 1e9);
    const std::int64_t cut_ns = refined(curve, coarse_ns, bin_s, runs[i].mean, runs[i + 1].mean);
    phase.end_ns = start_ns = std::clamp(cut_ns, start_ns, to_ns);
  }
  std::erase_if(phases, [](const SteadyPhase& phase) { return phase.start_ns >= phase.end_ns; });
  join_alike(phases, curve);
  return phases;
}

}  // namespace kernwatt::attribution
