// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernwatt/attribution/account/launch_cells.hpp"
#include "kernwatt/attribution/power/measurement.hpp"
#include "kernwatt/run/power_log.hpp"

/// Energy over any stretch of the timeline: what the readings say at their edges, and in between the shape that the
/// fitted power has. So parts always add up to the measured whole.
///
///   measured   o---------o---------o        counter steps (exact)
///   model       \_/--\__/   \__/-\_/        scaled in each window to what was measured in it
namespace kernwatt::attribution {

class MeasuredEnergy {
 public:
  /// knots: where the energy is known; joules: from the first knot. Both ascending, equal lengths >= 2.
  /// bin_watts: the model's power; may be empty, then energy runs evenly between knots.
  MeasuredEnergy(std::vector<double> knot_s, std::vector<double> knot_j, const std::vector<double>& bin_watts,
                 double bin_s);
  /// Joules from the first knot to t; t is clamped to the knots.
  double until(double t_s) const;
  double between(double from_s, double to_s) const { return until(to_s) - until(from_s); }
  /// Length of the window between two knots that t lies in: within it the division rests on the model.
  double window_s(double t_s) const;
  double first_s() const { return knot_s_.front(); }
  double last_s() const { return knot_s_.back(); }

 private:
  double model(double t_s) const;
  std::vector<double> knot_s_, knot_j_, model_j_;
  double bin_s_;
};

/// The stretch that is accounted for, and its energy.
struct EnergyWindow {
  Span span;
  std::vector<double> knot_s, knot_j;
  std::string source;  ///< "counter", "power"
  bool covers_trace = false;
};

/// On which sides of the trace the GPU was idle, as far as the log tells.
struct IdleSides {
  bool before = false;
  bool after = false;
};

/// Between two steps of the counter. Where the GPU idles beside the trace these are the last step before it and the
/// first after; where it works on untraced things, the first and last step inside, so that nobody else's joules are
/// counted. Without a counter: the integral of power over the trace. Empty when neither has two readings there.
/// `lag_s`: by how much power readings trail.
std::optional<EnergyWindow> energy_window(const run::GpuPower& power, const Measurement& measurement,
                                          std::int64_t origin_ns, const Span& trace, const IdleSides& idle,
                                          double lag_s);

}  // namespace kernwatt::attribution
