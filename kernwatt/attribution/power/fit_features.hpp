// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernwatt/attribution/power/power_fit.hpp"

namespace kernwatt::attribution {

/// The parameters' factors in each bin: 1, time shares, shares weighted by the clock.
class ShareFeatures final : public BinFeatures {
 public:
  explicit ShareFeatures(const FitInput& input) : input_(input), at_{input.columns.size()} {}
  std::uint32_t bins() const override { return input_.timeline.bins; }
  double bin_s() const override { return input_.timeline.bin_s; }
  Eigen::Index width() const override { return at_.size(); }

  void fill(std::uint32_t bin, Eigen::Ref<Eigen::VectorXd> out) override {
    out.setZero();
    out(Parameters::statics()) = 1;
    const double g = input_.clock.log_ratio[bin];
    const auto& shares = input_.timeline.shares;
    double idle = 1;
    for (; next_ < shares.size() && shares[next_].bin == bin; ++next_) {
      const double part = static_cast<double>(shares[next_].seconds) / bin_s();
      const std::uint32_t column = shares[next_].column;
      idle -= part;
      if (column == at_.columns) {
        out(at_.gap()) += part;
        continue;
      }
      out(Parameters::dynamic(column)) += part;
      out(at_.slope(column)) += part * g;
    }
    out(at_.idle()) = idle > 1e-4 ? idle : 0.0;
  }

 private:
  const FitInput& input_;
  Parameters at_;
  std::size_t next_ = 0;
};

/// One feature: the watts of each bin.
class PowerFeature final : public BinFeatures {
 public:
  PowerFeature(const std::vector<double>& watts, double bin_s) : watts_(watts), bin_s_(bin_s) {}
  std::uint32_t bins() const override { return static_cast<std::uint32_t>(watts_.size()); }
  double bin_s() const override { return bin_s_; }
  Eigen::Index width() const override { return 1; }
  void fill(std::uint32_t bin, Eigen::Ref<Eigen::VectorXd> out) override { out(0) = watts_[bin]; }

 private:
  const std::vector<double>& watts_;
  double bin_s_;
};

}  // namespace kernwatt::attribution
