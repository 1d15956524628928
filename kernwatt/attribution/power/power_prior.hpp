// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>

#include "kernwatt/attribution/power/power_fit.hpp"

/// What is known of powers before the readings: weak, and relative to the run, so that it carries over between cards.
namespace kernwatt::attribution {

/// What is left of the response's uncertainty after its fit: the powers are estimated together with small shifts of
/// both delays and of the lag. In a job whose steps repeat, a fixed response that is off by a millisecond would look
/// like power that moves between neighbouring kernels, in every step alike.
inline constexpr Eigen::Index nuisances = 3;

/// Gaussian priors (diagonal, but for the slopes, which are tied to their class's power) and bounds.
struct Prior {
  Eigen::MatrixXd precision;
  Eigen::VectorXd pull;  ///< precision x mean
  Eigen::VectorXd low, high;
};

struct PowerLevel {
  double static_w;   ///< first idea of the power without launches
  double dynamic_w;  ///< mean power above it while something runs
  double highest_w;  ///< the highest reading
};

/// Over the parameters and, behind them, the nuisances.
Prior make_prior(const FitInput& input, const Parameters& at, const PowerLevel& level);

}  // namespace kernwatt::attribution
