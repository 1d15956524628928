// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

/// What a power sensor makes of the power that really flows.
///
///   lagged:  a first-order low pass (lag) behind a delay, with a small slow tail: the board's analogue filter.
///            The energy counter integrates the lagged signal; the driver's samples read it.
///   average: the mean over a window that ends `delay` ago: NVML's one-second average.
namespace kernwatt::attribution {

struct SensorResponse {
  double lag_s = 0.013;
  double delay_s = 0;
  double late_weight = 0.35;  ///< of a sample's lateness against its grid, the part that is delay too
  double tail = 0.03;         ///< part of the signal that passes the slow filter
  double tail_lag_s = 0.150;
  double window_s = 0;  ///< > 0: an average over this window instead of a lag
};

/// Bins of features (time shares, clock-weighted shares, or one column of watts) in time order.
class BinFeatures {
 public:
  virtual ~BinFeatures() = default;
  virtual std::uint32_t bins() const = 0;
  virtual double bin_s() const = 0;
  virtual Eigen::Index width() const = 0;
  /// Writes the features of the bin; called with ascending bins, each once.
  virtual void fill(std::uint32_t bin, Eigen::Ref<Eigen::VectorXd> out) = 0;
};

/// One matrix row per query time: the sensor's reading (rate) of each feature at that time.
/// times_s: ascending, from the start of bin 0; those outside the bins are answered from the nearest bin.
Eigen::MatrixXd read_levels(BinFeatures& features, const std::vector<double>& times_s, const SensorResponse& response);

/// One row per query time: the integral of the sensor's reading from bin 0 to that time, in seconds x feature.
Eigen::MatrixXd read_integrals(BinFeatures& features, const std::vector<double>& times_s,
                               const SensorResponse& response);

}  // namespace kernwatt::attribution
