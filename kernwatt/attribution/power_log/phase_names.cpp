// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "kernwatt/attribution/power_log/steady_phases.hpp"

namespace kernwatt::attribution {
namespace {

/// Where a level lies between the lowest (0) and that of the main work (1).
constexpr double idle_below = 0.1;
constexpr double pause_below = 0.25;
constexpr double work_above = 0.6;
/// Boards that do nothing draw less than this share of what they may.
constexpr double idle_share = 0.15;

double energy_of(const SteadyPhase& phase) {
  return phase.level_w * static_cast<double>(phase.end_ns - phase.start_ns);
}

/// Mean of the clocks in the phase relative to the log's highest; 1 when there are none.
double relative_clock(const SteadyPhase& phase, const run::Series<double>& sm_mhz) {
  if (sm_mhz.empty()) return 1;
  const auto& times = sm_mhz.time_ns;
  const auto first = std::lower_bound(times.begin(), times.end(), phase.start_ns) - times.begin();
  const auto last = std::lower_bound(times.begin(), times.end(), phase.end_ns) - times.begin();
  const double highest = *std::max_element(sm_mhz.value.begin(), sm_mhz.value.end());
  double sum = 0;
  for (auto i = first; i < last; ++i) sum += sm_mhz.value[static_cast<std::size_t>(i)];
  return last > first && highest > 0 ? sum / static_cast<double>(last - first) / highest : 1;
}

class PhaseNames {
 public:
  PhaseNames(std::vector<SteadyPhase>& phases, const run::Series<double>& sm_mhz, std::optional<double> limit_w)
      : phases_(phases), sm_mhz_(sm_mhz) {
    const auto main = std::max_element(phases.begin(), phases.end(), [](const SteadyPhase& a, const SteadyPhase& b) {
      return energy_of(a) < energy_of(b);
    });
    main_w_ = main->level_w;
    const auto [low, high] = std::minmax_element(
        phases.begin(), phases.end(), [](const SteadyPhase& a, const SteadyPhase& b) { return a.level_w < b.level_w; });
    low_w_ = low->level_w;
    high_w_ = std::max(high->level_w, limit_w.value_or(0));
    // A log that mostly waits has most of its energy in waiting: then the work is its highest level.
    if (main_w_ - low_w_ < work_above * (high->level_w - low_w_)) main_w_ = high->level_w;
  }

  void apply() {
    if (main_w_ - low_w_ < std::max(0.1 * main_w_, 5.0)) {
      for (SteadyPhase& phase : phases_) phase.name = "steady";
      return;
    }
    const auto is_main = [&](const SteadyPhase& phase) { return place(phase) >= work_above; };
    const auto first = std::find_if(phases_.begin(), phases_.end(), is_main) - phases_.begin();
    for (std::size_t i = 0; i < phases_.size(); ++i)
      phases_[i].name = static_cast<std::ptrdiff_t>(i) < first ? before_work(i) : during_work(phases_[i]);
    name_end();
    number_work();
  }

 private:
  double place(const SteadyPhase& phase) const { return (phase.level_w - low_w_) / (main_w_ - low_w_); }

  /// The lowest level before any work is idle if the board returns to it, or if it is low enough for a board that
  /// waits.
  std::string before_work(std::size_t i) const {
    const SteadyPhase& phase = phases_[i];
    if (place(phase) > idle_below) return "warm-up";
    const bool returns = std::any_of(
        phases_.begin() + static_cast<std::ptrdiff_t>(i) + 1, phases_.end(),
        [&](const SteadyPhase& later) { return place(later) <= idle_below && later.start_ns > phase.end_ns; });
    const bool waits = phase.level_w <= idle_share * high_w_ || relative_clock(phase, sm_mhz_) < 0.5;
    return returns || waits ? "idle" : "warm-up";
  }

  std::string during_work(const SteadyPhase& phase) const {
    if (place(phase) <= idle_below) return "idle";
    return place(phase) < pause_below ? "pause" : "work";
  }

  /// What comes after the last work, and is neither at work's level nor idle; nor the lowest, to which it sinks.
  void name_end() {
    for (std::size_t i = phases_.size(); i-- > 0 && place(phases_[i]) < pause_below;) {
      const bool sinks = i + 1 < phases_.size() && phases_[i + 1].name == "idle" && is_above(i, i + 1) && i > 0 &&
                         phases_[i - 1].name != "idle";
      if (phases_[i].name == "pause" || sinks) phases_[i].name = "cool-down";
    }
  }

  /// By more than two stretches of the same level are apart.
  bool is_above(std::size_t i, std::size_t other) const {
    return phases_[i].level_w > phases_[other].level_w && place(phases_[i]) - place(phases_[other]) > idle_below / 5;
  }

  void number_work() {
    const auto works =
        std::count_if(phases_.begin(), phases_.end(), [](const SteadyPhase& p) { return p.name == "work"; });
    if (works < 2) return;
    int number = 0;
    for (SteadyPhase& phase : phases_)
      if (phase.name == "work") phase.name += " " + std::to_string(++number);
  }

  std::vector<SteadyPhase>& phases_;
  const run::Series<double>& sm_mhz_;
  double low_w_ = 0;
  double high_w_ = 0;
  double main_w_ = 0;
};

}  // namespace

void name_phases(std::vector<SteadyPhase>& phases, const run::Series<double>& sm_mhz,
                 std::optional<double> power_limit_w) {
  if (!phases.empty()) PhaseNames(phases, sm_mhz, power_limit_w).apply();
}

}  // namespace kernwatt::attribution
