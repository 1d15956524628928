// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "kernwatt/attribution/power/clock_track.hpp"
#include "kernwatt/attribution/power/measurement.hpp"
#include "kernwatt/attribution/power/sensor.hpp"
#include "kernwatt/attribution/power/timeline.hpp"

/// Power of each column, from readings: a robust, bounded least-squares fit with weak priors.
///
///   power(t) = static + sum_k share_k(t) (dynamic_k + slope_k g(t)) + gap_share(t) gap + idle_share(t) idle
///
/// seen through the sensors' response. g(t) = ln(f / f_max) <= 0, so dynamic_k is the power above static at the
/// reference clock.
namespace kernwatt::attribution {

/// Places of the parameters in PowerFit::theta.
struct Parameters {
  std::uint32_t columns = 0;
  Eigen::Index size() const { return 3 + 2 * static_cast<Eigen::Index>(columns); }
  static Eigen::Index statics() { return 0; }
  static Eigen::Index dynamic(std::uint32_t column) { return 1 + static_cast<Eigen::Index>(column); }
  Eigen::Index gap() const { return 1 + static_cast<Eigen::Index>(columns); }
  Eigen::Index idle() const { return gap() + 1; }
  Eigen::Index slope(std::uint32_t column) const { return gap() + 2 + static_cast<Eigen::Index>(column); }
};

struct PowerFit {
  Parameters at;
  Eigen::VectorXd theta;       ///< watts
  Eigen::MatrixXd covariance;  ///< W²: noise (by 1 s blocks) and the priors' own uncertainty
  SensorResponse counter_response;
  SensorResponse point_response;
  bool response_fitted = false;   ///< false: the readings do not tell, the nominal response was used
  double counter_residual_w = 0;  ///< robust standard deviation
  double point_residual_w = 0;
  std::size_t windows = 0;  ///< counter windows used
  std::size_t points = 0;   ///< power points used

  double static_w() const { return theta(Parameters::statics()); }
  double idle_w() const { return static_w() + theta(at.idle()); }
  double gap_w() const { return static_w() + theta(at.gap()); }
  /// Power of a column while it runs at clock f, g = ln(f / f_max).
  double column_w(std::uint32_t column, double g) const {
    return static_w() + theta(Parameters::dynamic(column)) + theta(at.slope(column)) * g;
  }
};

struct FitInput {
  const Timeline& timeline;
  const Columns& columns;
  const ClockTrack& clock;
  const Measurement& measurement;
  double from_s = 0;  ///< readings outside [from_s, to_s] are left out
  double to_s = 0;
  double max_shift_s = 0.1;  ///< how far the fit may move a sensor's delay from its nominal value
};

/// Precondition: some reading lies inside the span. Pure; any thread.
PowerFit fit_power(const FitInput& input);

/// Total power of each bin under a fit, W.
std::vector<double> bin_power(const FitInput& input, const PowerFit& fit);

}  // namespace kernwatt::attribution
