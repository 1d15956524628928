// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "kernwatt/attribution/power/measurement.hpp"
#include "kernwatt/attribution/power/sensor.hpp"

namespace kernwatt::attribution {

/// Counter windows between neighbouring steps that lie in the span.
struct CounterWindows {
  std::vector<double> edge_s;       ///< the steps
  std::vector<Eigen::Index> first;  ///< window w lies between edges first[w] and first[w] + 1
  Eigen::VectorXd watts;            ///< mean power of each window
};

CounterWindows windows_of(const CounterEdges& edges, double from_s, double to_s);

/// What the counter, or the points, would read, one row each.
Eigen::MatrixXd window_rows(BinFeatures& features, const CounterWindows& windows, const SensorResponse& response);
Eigen::MatrixXd point_rows(BinFeatures& features, const PowerPoints& points, const SensorResponse& response);

struct FittedResponse {
  SensorResponse counter;
  SensorResponse points;
  bool fitted = false;  ///< false: the readings hardly change with the response; nominal values kept
};

/// Moves lag and delays until a known power series explains the readings best (mean absolute deviation, so that
/// outliers do not steer). Delays move at most max_shift_s from their start; what is far from `usual` must earn it.
FittedResponse fit_response(const std::vector<double>& bin_watts, double bin_s, const CounterWindows& windows,
                            const PowerPoints& points, const FittedResponse& usual, const FittedResponse& start,
                            double max_shift_s);

}  // namespace kernwatt::attribution
