// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/sensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernwatt::attribution {
namespace {

/// Runs the filters over the bins and stops at each query time.
class FilterRun {
 public:
  FilterRun(BinFeatures& features, const SensorResponse& response)
      : features_(features),
        response_(response),
        dt_(features.bin_s()),
        input_(features.width()),
        integral_(Eigen::VectorXd::Zero(features.width())) {
    features_.fill(0, input_);
    fast_ = slow_ = input_;  // before the first bin the load was the same: the least surprising start
    decay_fast_ = response.window_s > 0 ? 0.0 : std::exp(-dt_ / response.lag_s);
    decay_slow_ = std::exp(-dt_ / response.tail_lag_s);
    level_begin_ = level_end_ = output();
    step_filters();
  }

  /// Moves to the bin that holds t and returns how far into it t lies, 0 … 1.
  double seek(double t_s) {
    const double position = std::clamp(t_s / dt_, 0.0, static_cast<double>(features_.bins()));
    while (bin_ + 1 < features_.bins() && static_cast<double>(bin_ + 1) <= position) next_bin();
    return std::clamp(position - bin_, 0.0, 1.0);
  }

  Eigen::VectorXd level(double part) const { return level_begin_ + part * (level_end_ - level_begin_); }
  Eigen::VectorXd integral(double part) const {
    return integral_ + dt_ * part * (level_begin_ + 0.5 * part * (level_end_ - level_begin_));
  }

 private:
  Eigen::VectorXd output() const {
    if (response_.window_s > 0) return input_;
    return (1 - response_.tail) * fast_ + response_.tail * slow_;
  }

  void step_filters() {
    fast_ = decay_fast_ * fast_ + (1 - decay_fast_) * input_;
    slow_ = decay_slow_ * slow_ + (1 - decay_slow_) * input_;
    if (response_.window_s > 0) level_begin_ = input_;  // unfiltered power is constant within a bin
    level_end_ = output();
  }

  void next_bin() {
    integral_ += dt_ * 0.5 * (level_begin_ + level_end_);
    level_begin_ = level_end_;
    features_.fill(++bin_, input_);
    step_filters();
  }

  BinFeatures& features_;
  const SensorResponse& response_;
  double dt_;
  Eigen::VectorXd input_, fast_, slow_, level_begin_, level_end_, integral_;
  double decay_fast_ = 0, decay_slow_ = 0;
  std::uint32_t bin_ = 0;
};

}  // namespace

Eigen::MatrixXd read_levels(BinFeatures& features, const std::vector<double>& times_s, const SensorResponse& response) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(times_s.size()), features.width());
  FilterRun run(features, response);
  for (std::size_t i = 0; i < times_s.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = run.level(run.seek(times_s[i])).transpose();
  return rows;
}

Eigen::MatrixXd read_integrals(BinFeatures& features, const std::vector<double>& times_s,
                               const SensorResponse& response) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(times_s.size()), features.width());
  FilterRun run(features, response);
  for (std::size_t i = 0; i < times_s.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = run.integral(run.seek(times_s[i])).transpose();
  return rows;
}

}  // namespace kernwatt::attribution
