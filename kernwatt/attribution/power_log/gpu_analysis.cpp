// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/gpu_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernwatt/attribution/power_log/energy_of_window.hpp"
#include "kernwatt/attribution/power_log/power_curve.hpp"
#include "kernwatt/attribution/power_log/steady_phases.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::size_t profile_bins = 240;
constexpr double profile_gap_s = 5;  // at least; more where polls are rare

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// All that is known of one GPU's meters.
struct Meters {
  explicit Meters(const run::GpuPower& gpu)
      : power(gpu),
        counter(gpu.energy_mj, power.usable() ? &power.series() : nullptr),
        belief(belief_of(counter, power)) {}
  PowerTrack power;
  CounterTrack counter;
  Belief belief;
};

void describe_readings(const Meters& meters, std::int64_t from_ns, std::int64_t to_ns, run::PowerGpu& gpu) {
  gpu.sensor = meters.power.sensor();
  const auto& series = meters.power.series();
  const ReadingRange range = meters.power.range(from_ns, to_ns);
  const bool whole = range.size() == series.size();
  const ReadingRhythm rhythm = whole ? meters.power.rhythm() : rhythm_of(series, range);
  gpu.samples = range.size();
  gpu.stale = rhythm.stale;
  gpu.poll_s = rhythm.poll_s;
  // The rhythm is the sensor's, so all of its readings may tell it.
  gpu.update = meters.power.rhythm().update;
  gpu.gaps = meters.power.gaps(from_ns, to_ns);
  if (!meters.power.usable()) gpu.gaps.bridged_j.reset();
  if (range.size() == 0) return;
  const auto first = series.value.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto [least, greatest] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(range.size()));
  gpu.min_w = *least;
  gpu.max_w = *greatest;
  if (!meters.power.usable())
    gpu.mean_w = std::accumulate(series.value.begin(), series.value.end(), 0.0) / static_cast<double>(series.size());
}

void describe_counter(const Meters& meters, const run::GpuPower& power, run::PowerGpu& gpu) {
  if (power.energy_mj.empty()) return;
  gpu.counter_update = meters.counter.rhythm().update;
  gpu.counter_step_j = meters.counter.step_j();
  if (!meters.power.empty()) return;
  gpu.samples = power.energy_mj.size();
  gpu.stale = meters.counter.rhythm().stale;
  gpu.poll_s = meters.counter.rhythm().poll_s;
}

/// Power over time from the believed source; from the readings where nothing is believed, so that one can see why.
std::optional<PowerCurve> curve_of(const Meters& meters, bool prefer_counter) {
  const bool counter = meters.belief.believed == Believed::counter;
  if (counter && (prefer_counter || !meters.power.usable())) return PowerCurve(meters.counter);
  if (meters.power.usable()) return PowerCurve(meters.power.series());
  return std::nullopt;
}

double longest_step_s(const Meters& meters) {
  const double poll_s = std::max(meters.power.rhythm().poll_s.value_or(0), meters.counter.rhythm().poll_s.value_or(0));
  return std::max(profile_gap_s, 5 * poll_s);
}

/// A counter that moves often shows when the power changed; readings show it an update later, means over the past later
/// still.
bool counter_is_sharper(const Meters& meters) {
  return meters.belief.believed == Believed::counter && !meters.belief.disagree &&
         meters.counter.rhythm().poll_s.value_or(1) <= 1 &&
         meters.counter.resolution_s() <= meters.power.lag_s() + 1.5 * meters.power.resolution_s();
}

void describe_phases(const Meters& meters, const run::GpuPower& power, std::int64_t from_ns, std::int64_t to_ns,
                     std::vector<run::PowerPhase>& phases) {
  if (meters.belief.believed == Believed::none) return;
  const bool by_counter = counter_is_sharper(meters);
  const auto curve = curve_of(meters, by_counter);
  if (!curve) return;
  const bool from_counter = by_counter || !meters.power.usable();
  // Nothing between two polls can be seen either.
  const double update_s = from_counter
                              ? std::max(meters.counter.resolution_s(), meters.counter.rhythm().poll_s.value_or(0))
                              : std::max(meters.power.resolution_s(), meters.power.rhythm().poll_s.value_or(0));
  std::vector<SteadyPhase> steady = steady_phases(*curve, from_ns, to_ns, update_s, longest_step_s(meters));
  name_phases(steady, power.sm_mhz, power.power_limit_w);
  for (const SteadyPhase& phase : steady)
    phases.push_back(
        {0, phase.name, phase.start_ns, phase.end_ns,
         energy_of_window(meters.counter, meters.power, meters.belief, phase.start_ns, phase.end_ns, Ends::on_steps),
         phase.period_s});
}

void report_lag(const Meters& meters, const std::vector<run::PowerPhase>& phases, const std::string& name,
                QualityLedger& quality) {
  if (meters.belief.believed != Believed::counter || meters.belief.disagree || phases.size() < 2) return;
  const run::PowerPhase* worst = nullptr;
  double worst_ratio = 1.05;
  for (const run::PowerPhase& phase : phases) {
    const run::PowerEnergy& energy = phase.energy;
    if (!energy.integral_j || !energy.counter_j || *energy.integral_j <= 0 || *energy.counter_j <= 0) continue;
    const double ratio = std::max(*energy.integral_j / *energy.counter_j, *energy.counter_j / *energy.integral_j);
    if (ratio <= worst_ratio || energy.below_resolution) continue;
    worst = &phase;
    worst_ratio = ratio;
  }
  if (worst == nullptr) return;
  quality.add("power.phase-by-counter", Severity::info,
              fmt::format("{}: in the phase {} ({:.3g} s) {} integrates to {:.4g} J against the counter's {:.4g} J: "
                          "readings that trail behind charge a phase with what came before it, so the counter is used",
                          name, worst->name, seconds(worst->end_ns - worst->start_ns), meters.power.sensor(),
                          *worst->energy.integral_j, *worst->energy.counter_j));
}

void report_resolution(const Meters& meters, const run::PowerGpu& gpu, QualityLedger& quality) {
  if (!gpu.energy.below_resolution) return;
  const bool counter = meters.belief.believed == Believed::counter;
  const double resolution_s = counter ? meters.counter.resolution_s() : meters.power.resolution_s();
  const double mean_w = gpu.energy.mean_w.value_or(0);
  const double step_j = counter ? meters.counter.step_j().value_or(mean_w * resolution_s) : mean_w * resolution_s;
  quality.add(
      "power.below-resolution", Severity::warning,
      fmt::format("{}: the stretch is shorter than one update of the {} ({:.0f} ms, {:.3g} J): its {:.3g} J are "
                  "interpolated between two updates, not seen",
                  label_of(gpu), counter ? "energy counter" : "power sensor", resolution_s * 1e3, step_j,
                  gpu.energy.energy_j.value_or(0)));
}

}  // namespace

std::string label_of(const run::PowerGpu& gpu) {
  if (gpu.named_by_file) return gpu.name;
  if (gpu.gpu.index) return fmt::format("GPU {}{}", *gpu.gpu.index, gpu.gpu.host.empty() ? "" : " of " + gpu.gpu.host);
  return gpu.name.empty() ? "the GPU" : gpu.name;
}

std::optional<ReadingSpan> span_of(const run::GpuPower& gpu) {
  std::optional<ReadingSpan> span;
  const auto add = [&](const std::vector<std::int64_t>& times) {
    if (times.empty()) return;
    if (!span) span = ReadingSpan{times.front(), times.back()};
    span->start_ns = std::min(span->start_ns, times.front());
    span->end_ns = std::max(span->end_ns, times.back());
  };
  const PowerTrack power(gpu);
  if (!power.empty()) add(power.series().time_ns);
  // The counter may have more readings; what both cover is what can be compared.
  if (power.empty()) add(gpu.energy_mj.time_ns);
  return span;
}

GpuAnalysis analyse_gpu(const run::GpuPower& power, run::PowerGpu described, bool timed, std::int64_t from_ns,
                        std::int64_t to_ns, QualityLedger& quality) {
  GpuAnalysis result;
  result.gpu = std::move(described);
  run::PowerGpu& gpu = result.gpu;
  gpu.missing = power.missing_power;
  gpu.missing_tokens = power.missing_tokens;
  gpu.power_limit_w = power.power_limit_w;
  gpu.energy.source = "none";
  const std::optional<ReadingSpan> span = span_of(power);
  const Meters meters(power);
  gpu.believed = meters.belief.why;
  if (!span) return result;
  if (!timed) {
    gpu.believed = "the log has no times";
    if (!meters.power.empty()) describe_readings(meters, span->start_ns, span->end_ns, gpu);
    gpu.gaps = {};
    return result;
  }
  const std::int64_t start = std::max(from_ns, span->start_ns);
  const std::int64_t end = std::min(to_ns, span->end_ns);
  gpu.start_ns = start;
  gpu.end_ns = std::max(start, end);
  if (!meters.power.empty()) describe_readings(meters, start, end, gpu);
  describe_counter(meters, power, gpu);
  gpu.sensor_dead = meters.belief.sensor_dead;
  gpu.disagreement = meters.belief.ratio;
  if (start >= end) return result;
  gpu.energy = energy_of_window(meters.counter, meters.power, meters.belief, start, end, Ends::interpolated);
  if (gpu.energy.integral_j) gpu.mean_w = *gpu.energy.integral_j / seconds(end - start);
  if (!gpu.mean_w) gpu.mean_w = gpu.energy.mean_w;
  if (const auto curve = curve_of(meters, false)) {
    BinnedPower profile = binned(*curve, start, end, profile_bins, longest_step_s(meters));
    gpu.profile_bin_s = profile.bin_s;
    gpu.profile_w = std::move(profile.watts);
  }
  describe_phases(meters, power, start, end, result.phases);
  report_lag(meters, result.phases, label_of(gpu), quality);
  report_resolution(meters, gpu, quality);
  return result;
}

}  // namespace kernwatt::attribution
