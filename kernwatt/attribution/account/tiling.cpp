// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernwatt::attribution {
namespace {

constexpr double window_s = 0.5;  ///< power is compared in windows of this length
constexpr double alike = 0.12;

/// Energy up to each knot, from the counter when there is one, else from power.
struct Curve {
  std::vector<double> t_s, joules;
  double at(double t) const {
    const auto hi = std::clamp<std::ptrdiff_t>(std::upper_bound(t_s.begin(), t_s.end(), t) - t_s.begin(), 1,
                                               static_cast<std::ptrdiff_t>(t_s.size()) - 1);
    const auto i = static_cast<std::size_t>(hi);
    const double part = std::clamp((t - t_s[i - 1]) / (t_s[i] - t_s[i - 1]), 0.0, 1.0);
    return joules[i - 1] + part * (joules[i] - joules[i - 1]);
  }
};

Curve whole_log(const run::GpuPower& power, const Measurement& m, std::int64_t origin_ns) {
  Curve curve;
  for (std::size_t i = 0; i < m.edges.time_ns.size(); ++i) {
    curve.t_s.push_back(m.edges.time_ns[i] * 1e-9);
    curve.joules.push_back(static_cast<double>(m.edges.energy_mj[i]) * 1e-3);
  }
  if (curve.t_s.size() >= 2) return curve;
  curve = {};
  for (const auto* s : {&power.power_samples_w, &power.power_instant_w, &power.power_draw_w, &power.power_average_w}) {
    if (s->size() < 2) continue;
    for (std::size_t i = 0; i < s->size(); ++i) {
      const double t = static_cast<double>(s->time_ns[i] - origin_ns) * 1e-9;
      if (!curve.t_s.empty() && t <= curve.t_s.back()) continue;
      curve.joules.push_back(curve.t_s.empty() ? 0 : curve.joules.back() + (t - curve.t_s.back()) * s->value[i]);
      curve.t_s.push_back(t);
    }
    break;
  }
  return curve;
}

}  // namespace

Status lay_over_log(GpuEnergy& gpu, const run::GpuPower& power, const Measurement& measurement,
                    QualityLedger& quality) {
  const Curve curve = whole_log(power, measurement, gpu.timeline.origin_ns);
  const double traced_w = *gpu.total_j / gpu.window.length_s();
  const auto steady = [&](double from_s) {
    return std::abs((curve.at(from_s + window_s) - curve.at(from_s)) / window_s / traced_w - 1) < alike;
  };
  Span stretch = gpu.window;
  while (stretch.to_s + window_s <= curve.t_s.back() && steady(stretch.to_s)) stretch.to_s += window_s;
  while (stretch.from_s - window_s >= curve.t_s.front() && steady(stretch.from_s - window_s))
    stretch.from_s -= window_s;
  if (stretch.length_s() < 1.5 * gpu.window.length_s())
    return Error{
        ErrorCode::unavailable,
        fmt::format("power beside the trace is unlike power in it ({:.0f} W): there is no steady stretch to lay "
                    "the traced iterations over",
                    traced_w),
        "--tile"};
  gpu.repeats = stretch.length_s() / gpu.window.length_s();
  gpu.total_j = curve.at(stretch.to_s) - curve.at(stretch.from_s);
  gpu.source += ", tiled";
  gpu.selected = gpu.window;  // launches beside the measured stretch must not be multiplied with it
  gpu.window = stretch;
  quality.add(
      "energy.tiled", Severity::warning,
      fmt::format(
          "the traced stretch was laid {:.1f} times over {:.1f} s of the log in which power stays within {:.0f} %; "
          "launches outside the trace were not seen",
          gpu.repeats, stretch.length_s(), 100 * alike));
  return {};
}

}  // namespace kernwatt::attribution
