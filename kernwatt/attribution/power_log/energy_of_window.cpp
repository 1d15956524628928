// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/energy_of_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernwatt/attribution/power_log/power_curve.hpp"

namespace kernwatt::attribution {
namespace {

/// Counter and power of one board agree within a few per cent.
constexpr double usual_disagreement = 0.05;
constexpr double z95 = 1.96;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The ratio is a power of a thousand, as when a column's unit is wrong.
bool is_off_by_unit(double ratio) {
  const double decades = std::log10(ratio);
  const double nearest = 3 * std::round(decades / 3);
  return nearest != 0 && std::abs(decades - nearest) < 0.1;
}

std::string why_unusable(const PowerTrack& power) {
  if (power.empty()) return "there is no reading of power or energy";
  const std::size_t readings = power.series().size();
  if (readings == 1) return "one reading is a power at an instant";
  if (!power.has_span()) return fmt::format("all {} readings carry the same time", readings);
  const double poll_s = power.rhythm().poll_s.value_or(0);
  return fmt::format("{} readings, {:.{}f} s apart, are too few: nothing between them was seen", readings, poll_s,
                     poll_s < 10 ? 2 : 0);
}

Belief without_counter(const PowerTrack& power, std::string_view counter_is) {
  Belief belief;
  if (!power.usable()) {
    belief.why = why_unusable(power);
    return belief;
  }
  if (power.is_flat_too_long()) {
    belief.sensor_dead = true;
    belief.why = fmt::format("{} never moves and {}: nothing can be believed", power.sensor(), counter_is);
    return belief;
  }
  belief.believed = Believed::power;
  belief.why = fmt::format("the integral of {}, for {}", power.sensor(), counter_is);
  return belief;
}

double integral_on_steps(const PowerTrack& power, std::int64_t from_ns, std::int64_t to_ns) {
  const PowerCurve curve(power.series());
  double sum = 0;
  for (std::size_t i = curve.step_at(from_ns); i < curve.size() && curve.start_ns(i) < to_ns; ++i)
    sum += curve.watts(i) * seconds(std::min(curve.end_ns(i), to_ns) - std::max(curve.start_ns(i), from_ns));
  return sum;
}

double power_near(const CounterTrack& counter, std::int64_t ns) {
  const auto reach = static_cast<std::int64_t>(counter.resolution_s() * 1e9);
  const std::int64_t from = std::max(counter.start_ns(), ns - reach);
  const std::int64_t to = std::min(counter.end_ns(), ns + reach);
  return to > from ? counter.counter_j(from, to) / seconds(to - from) : 0;
}

/// One update at each end, within which the step may lie anywhere.
double counter_variance(const CounterTrack& counter, std::int64_t from_ns, std::int64_t to_ns, double bridged_j) {
  const double update_s = counter.resolution_s();
  const double from_w = power_near(counter, from_ns);
  const double to_w = power_near(counter, to_ns);
  const double ends = update_s * update_s / 12 * (from_w * from_w + to_w * to_w);
  return ends + bridged_j * bridged_j * 0.01;  // what bridges a reset is known to about a tenth
}

void believe_counter(const CounterTrack& counter, const Belief& belief, std::int64_t from_ns, std::int64_t to_ns,
                     run::PowerEnergy& energy) {
  const double bridged_j = counter.bridged_j(from_ns, to_ns);
  const double joules = *energy.counter_j + bridged_j;
  const double half = z95 * std::sqrt(counter_variance(counter, from_ns, to_ns, bridged_j));
  energy.source = bridged_j > 0 ? "counter, resets bridged by power" : "counter";
  energy.energy_j = joules;
  energy.energy_ci95_j = run::Interval{std::max(0.0, joules - half), joules + half};
  // Two honest meters that differ: the truth may be either.
  if (belief.disagree && energy.integral_j) {
    energy.energy_ci95_j->low = std::min(energy.energy_ci95_j->low, *energy.integral_j);
    energy.energy_ci95_j->high = std::max(energy.energy_ci95_j->high, *energy.integral_j);
  }
  energy.below_resolution = seconds(to_ns - from_ns) < counter.resolution_s();
}

}  // namespace

Belief belief_of(const CounterTrack& counter, const PowerTrack& power) {
  if (counter.knots().size() < 2) return without_counter(power, "there is no usable energy counter");
  const double span_s = seconds(counter.end_ns() - counter.start_ns());
  if (!counter.usable())
    return without_counter(power, fmt::format("the energy counter stands still for {:.3g} s", span_s));
  Belief belief;
  belief.believed = Believed::counter;
  belief.why = "the energy counter, which adds up every reading inside the board";
  if (!power.usable()) return belief;
  const double by_power_j = trapezoid_j(power.series(), counter.start_ns(), counter.end_ns());
  const double by_counter_j = counter.total_j() + counter.bridged_j(counter.start_ns(), counter.end_ns());
  if (!(by_power_j > 0)) return belief;
  belief.ratio = by_counter_j / by_power_j;
  const double difference_j = std::abs(by_counter_j - by_power_j);
  if (by_power_j > 20 && counter.breaks() == 0 && is_off_by_unit(*belief.ratio)) {
    Belief instead =
        without_counter(power, fmt::format("the counter's unit is wrong by a factor of {:.3g}", *belief.ratio));
    instead.ratio = belief.ratio;
    return instead;
  }
  belief.disagree = difference_j > usual_disagreement * std::max(by_counter_j, by_power_j) &&
                    difference_j > 2 * counter.step_j().value_or(0);
  if (!belief.disagree) {
    belief.why += fmt::format("; the integral of {} agrees", power.sensor());
  } else {
    belief.why += fmt::format("; the integral of {} says otherwise, so the interval spans both", power.sensor());
  }
  return belief;
}

run::PowerEnergy energy_of_window(const CounterTrack& counter, const PowerTrack& power, const Belief& belief,
                                  std::int64_t from_ns, std::int64_t to_ns, Ends ends) {
  run::PowerEnergy energy;
  energy.source = "none";
  const double span_s = seconds(to_ns - from_ns);
  if (!(span_s > 0)) return energy;
  if (counter.usable()) energy.counter_j = counter.counter_j(from_ns, to_ns);
  double variance = 0;
  if (power.usable()) {
    const Integral integral = power.integral(from_ns, to_ns);
    energy.integral_j = ends == Ends::on_steps ? integral_on_steps(power, from_ns, to_ns) : integral.joules;
    variance = integral.variance_j2;
  }
  if (belief.believed == Believed::counter) believe_counter(counter, belief, from_ns, to_ns, energy);
  if (belief.believed == Believed::power) {
    const double half = z95 * std::sqrt(variance);
    energy.source = "power";
    energy.energy_j = energy.integral_j;
    energy.energy_ci95_j = run::Interval{std::max(0.0, *energy.integral_j - half), *energy.integral_j + half};
    energy.below_resolution = span_s < power.resolution_s();
  }
  if (energy.energy_j) energy.mean_w = *energy.energy_j / span_s;
  return energy;
}

}  // namespace kernwatt::attribution
