// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/power_prior.hpp"

#include <algorithm>
#include <cmath>

namespace kernwatt::attribution {
namespace {

constexpr double shift_sd_ms = 1.0;
constexpr double lag_sd_ms = 1.0;

/// Power above static at the reference clock that kinds of kernels draw, relative to the mean of a busy LLM job, and
/// how far single kernels lie from their kind. Ratios carry over between cards, watts do not.
/// Source: operators measured alone on one H200 (docs/method.md, "Priors").
struct KindPower {
  double mean;
  double sd;
};

KindPower relative_power(Category category) {
  switch (category) {
    case Category::matrix_product:
      return {1.40, 0.35};
    case Category::attention:
      return {1.30, 0.30};
    case Category::element_wise:
      return {1.05, 0.25};
    case Category::normalisation:
      return {0.90, 0.25};
    case Category::reduction:
      return {0.90, 0.30};
    case Category::optimizer:
    case Category::copy:
      return {0.75, 0.25};
    case Category::communication:
      return {0.40, 0.25};
    case Category::other:
      return {0.80, 0.40};
  }
  return {1.0, 0.5};
}

}  // namespace

Prior make_prior(const FitInput& input, const Parameters& at, const PowerLevel& level) {
  const Eigen::Index n = at.size() + nuisances;
  Prior p{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  const auto gaussian = [&](Eigen::Index i, double mean, double sd) {
    p.precision(i, i) += 1 / (sd * sd);
    p.pull(i) += mean / (sd * sd);
  };
  for (Eigen::Index i = 0; i < nuisances; ++i) {
    const double sd = i < 2 ? shift_sd_ms : lag_sd_ms;
    gaussian(at.size() + i, 0, sd);
    p.low(at.size() + i) = -5 * sd;
    p.high(at.size() + i) = 5 * sd;
  }
  // Without a known limit: no class draws half as much again as the highest reading; a sensor's lag hides no more.
  const double limit = input.measurement.limit_w.value_or(1.5 * level.highest_w);
  const double highest = std::max(limit - level.static_w, 0.2 * level.dynamic_w);
  gaussian(Parameters::statics(), level.static_w, 0.3 * level.static_w + 1);
  // Where nothing is traced, what lies far above the log's quietest moments is not idling: it stays unattributed.
  p.high(Parameters::statics()) = 2 * level.static_w + 20;
  gaussian(at.gap(), 0.15 * level.dynamic_w, 0.25 * level.dynamic_w);
  p.high(at.gap()) = highest;
  // Static power is what idle draws, but for what the fit cannot see; a free difference would let the bound below slip.
  gaussian(at.idle(), 0, 0.02 * level.static_w + 0.1);
  p.low(at.idle()) = -0.06 * level.static_w;
  p.high(at.idle()) = 0.06 * level.static_w;
  constexpr double slope_per_power = 1.2;  // dynamic power follows f·V², and memory-bound kernels less
  for (std::uint32_t k = 0; k < at.columns; ++k) {
    const Eigen::Index d = Parameters::dynamic(k);
    const Eigen::Index s = at.slope(k);
    const KindPower kind = relative_power(input.columns.category[k]);
    gaussian(d, kind.mean * level.dynamic_w, kind.sd * level.dynamic_w);
    p.high(d) = highest;
    const double w = 1 / std::pow(0.5 * level.dynamic_w, 2);
    p.precision(s, s) += w;
    p.precision(d, d) += slope_per_power * slope_per_power * w;
    p.precision(s, d) -= slope_per_power * w;
    p.precision(d, s) -= slope_per_power * w;
    p.low(s) = 0;
    p.high(s) = 5 * level.dynamic_w;
  }
  return p;
}

}  // namespace kernwatt::attribution
