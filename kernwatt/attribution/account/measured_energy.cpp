// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/measured_energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kernwatt::attribution {
namespace {

const run::Series<double>* series_of(const run::GpuPower& power, PointSource source) {
  switch (source) {
    case PointSource::driver_samples:
      return &power.power_samples_w;
    case PointSource::instant:
      return &power.power_instant_w;
    case PointSource::draw:
      return &power.power_draw_w;
    case PointSource::average:
      return &power.power_average_w;
    case PointSource::none:
      return nullptr;
  }
  return nullptr;
}

std::optional<EnergyWindow> counter_window(const CounterEdges& edges, const Span& trace, const IdleSides& idle) {
  const auto& t = edges.time_ns;
  if (t.size() < 2) return std::nullopt;
  const double from_ns = trace.from_s * 1e9;
  const double to_ns = trace.to_s * 1e9;
  auto first = std::lower_bound(t.begin(), t.end(), from_ns);
  if (idle.before && first != t.begin()) --first;
  auto last = std::upper_bound(t.begin(), t.end(), to_ns);
  if ((!idle.after || last == t.end()) && last != t.begin()) --last;
  if (first == t.end() || last <= first) return std::nullopt;
  EnergyWindow window;
  window.source = "counter";
  window.span = {*first * 1e-9, *last * 1e-9};
  window.covers_trace = window.span.from_s <= trace.from_s && window.span.to_s >= trace.to_s;
  const auto a = static_cast<std::size_t>(first - t.begin());
  const auto b = static_cast<std::size_t>(last - t.begin());
  for (std::size_t i = a; i <= b; ++i) {
    window.knot_s.push_back(t[i] * 1e-9);
    window.knot_j.push_back(static_cast<double>(edges.energy_mj[i] - edges.energy_mj[a]) * 1e-3);
  }
  return window;
}

/// Trapezoids between readings; before the first and after the last one, what that one said.
std::optional<EnergyWindow> power_window(const run::Series<double>& series, std::int64_t origin_ns, const Span& trace,
                                         double lag_s) {
  std::vector<double> t;
  std::vector<double> joules;
  double last_w = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double at = static_cast<double>(series.time_ns[i] - origin_ns) * 1e-9 - lag_s;
    if (!t.empty() && at <= t.back()) continue;
    joules.push_back(t.empty() ? 0.0 : joules.back() + (at - t.back()) * (last_w + series.value[i]) / 2);
    t.push_back(at);
    last_w = series.value[i];
  }
  if (t.size() < 2) return std::nullopt;
  EnergyWindow window;
  window.source = "power";
  window.span = {std::max(trace.from_s, t.front()), std::min(trace.to_s, t.back())};
  if (window.span.length_s() <= 0) return std::nullopt;
  window.covers_trace = window.span.from_s <= trace.from_s && window.span.to_s >= trace.to_s;
  const auto energy_at = [&](double x) {
    const auto hi = std::clamp<std::ptrdiff_t>(std::upper_bound(t.begin(), t.end(), x) - t.begin(), 1,
                                               static_cast<std::ptrdiff_t>(t.size()) - 1);
    const auto i = static_cast<std::size_t>(hi);
    const double part = std::clamp((x - t[i - 1]) / (t[i] - t[i - 1]), 0.0, 1.0);
    return joules[i - 1] + part * (joules[i] - joules[i - 1]);
  };
  window.knot_s = {window.span.from_s, window.span.to_s};
  window.knot_j = {0.0, energy_at(window.span.to_s) - energy_at(window.span.from_s)};
  return window;
}

}  // namespace

MeasuredEnergy::MeasuredEnergy(std::vector<double> knot_s, std::vector<double> knot_j,
                               const std::vector<double>& bin_watts, double bin_s)
    : knot_s_(std::move(knot_s)), knot_j_(std::move(knot_j)), model_j_(bin_watts.size() + 1, 0.0), bin_s_(bin_s) {
  for (std::size_t i = 0; i < bin_watts.size(); ++i) model_j_[i + 1] = model_j_[i] + bin_watts[i] * bin_s;
}

double MeasuredEnergy::model(double t_s) const {
  const double position = std::clamp(t_s / bin_s_, 0.0, static_cast<double>(model_j_.size() - 1));
  const auto bin = std::min(static_cast<std::size_t>(position), model_j_.size() - 1);
  if (bin + 1 >= model_j_.size()) return model_j_.back();
  return model_j_[bin] + (position - static_cast<double>(bin)) * (model_j_[bin + 1] - model_j_[bin]);
}

double MeasuredEnergy::until(double t_s) const {
  const double t = std::clamp(t_s, knot_s_.front(), knot_s_.back());
  const auto after = std::upper_bound(knot_s_.begin(), knot_s_.end(), t);
  const auto hi = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(after - knot_s_.begin(), 1, static_cast<std::ptrdiff_t>(knot_s_.size()) - 1));
  const double part = (t - knot_s_[hi - 1]) / (knot_s_[hi] - knot_s_[hi - 1]);
  const double model_here = model(t) - model(knot_s_[hi - 1]);
  const double model_window = model(knot_s_[hi]) - model(knot_s_[hi - 1]);
  const double measured_window = knot_j_[hi] - knot_j_[hi - 1];
  // Scaled, so that no part of a window can be negative, however far the model is off in it.
  const double shape = model_window > 0 ? model_here / model_window : part;
  return knot_j_[hi - 1] + shape * measured_window;
}

double MeasuredEnergy::window_s(double t_s) const {
  const auto after = std::upper_bound(knot_s_.begin(), knot_s_.end(), t_s);
  const auto hi = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(after - knot_s_.begin(), 1, static_cast<std::ptrdiff_t>(knot_s_.size()) - 1));
  return knot_s_[hi] - knot_s_[hi - 1];
}

std::optional<EnergyWindow> energy_window(const run::GpuPower& power, const Measurement& measurement,
                                          std::int64_t origin_ns, const Span& trace, const IdleSides& idle,
                                          double lag_s) {
  std::optional<EnergyWindow> by_counter = counter_window(measurement.edges, trace, idle);
  if (by_counter && by_counter->covers_trace) return by_counter;
  const run::Series<double>* series = series_of(power, measurement.points.source);
  std::optional<EnergyWindow> by_power;
  if (series != nullptr) by_power = power_window(*series, origin_ns, trace, lag_s);
  if (!by_counter) return by_power;
  // A counter that sees part of the trace beats an integral, unless the integral sees much more of it.
  if (by_power && by_power->span.length_s() > 2 * by_counter->span.length_s()) return by_power;
  return by_counter;
}

}  // namespace kernwatt::attribution
