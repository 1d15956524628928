// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/ties.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kernwatt::attribution {
namespace {

constexpr double tied_correlation = 0.95;
constexpr double weak_relative_sd = 0.10;

struct Seconds {
  double owned = 0;
  double clock = 0;
};

std::vector<Seconds> seconds_of_columns(const GpuEnergy& gpu) {
  std::vector<Seconds> seconds(gpu.columns.size());
  for (const LaunchCell& cell : gpu.cells) {
    if (!cell.key.covered) continue;
    seconds[cell.key.column].owned += cell.owned_s;
    seconds[cell.key.column].clock += cell.clock_s;
  }
  return seconds;
}

/// Covariance of the columns' mean powers, W².
Eigen::MatrixXd power_covariance(const GpuEnergy& gpu, const std::vector<Seconds>& seconds) {
  const auto n = static_cast<Eigen::Index>(seconds.size());
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(n, gpu.fit->at.size());
  for (Eigen::Index k = 0; k < n; ++k) {
    const Seconds& s = seconds[static_cast<std::size_t>(k)];
    factor(k, Parameters::statics()) = 1;
    factor(k, Parameters::dynamic(static_cast<std::uint32_t>(k))) = 1;
    factor(k, gpu.fit->at.slope(static_cast<std::uint32_t>(k))) = s.owned > 0 ? s.clock / s.owned : 0;
  }
  return factor * gpu.fit->covariance * factor.transpose();
}

class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

ColumnKnowledge find_ties(const GpuEnergy& gpu) {
  const std::vector<Seconds> seconds = seconds_of_columns(gpu);
  const std::size_t n = seconds.size();
  const Eigen::MatrixXd covariance = power_covariance(gpu, seconds);
  ColumnKnowledge out{std::vector<std::uint32_t>(n, run::none), std::vector<double>(n, 0.0),
                      std::vector<std::uint32_t>(n, run::none), 0};
  Groups groups(n);
  std::vector<bool> tied(n, false);
  std::vector<std::size_t> weak;
  for (std::size_t a = 0; a < n; ++a) {
    const auto i = static_cast<Eigen::Index>(a);
    const double power = gpu.fit->column_w(static_cast<std::uint32_t>(a), 0);
    if (seconds[a].owned > 0 && std::sqrt(covariance(i, i)) > weak_relative_sd * power) weak.push_back(a);
    for (std::size_t b = 0; b < n; ++b) {
      const auto j = static_cast<Eigen::Index>(b);
      if (a == b || seconds[a].owned <= 0 || seconds[b].owned <= 0) continue;
      const double r = std::abs(covariance(i, j)) / std::sqrt(covariance(i, i) * covariance(j, j));
      if (r > out.strongest[a]) out.strongest[a] = r, out.strongest_with[a] = static_cast<std::uint32_t>(b);
      if (r > tied_correlation) groups.join(a, b), tied[a] = tied[b] = true;
    }
  }
  // With many classes in one repeating step no two need be tied to each other: each trades with all the rest.
  if (weak.size() >= 2)
    for (const std::size_t a : weak) groups.join(a, weak.front()), tied[a] = true;
  std::vector<std::uint32_t> number(n, run::none);
  for (std::size_t a = 0; a < n; ++a) {
    if (!tied[a]) continue;
    std::uint32_t& of_root = number[groups.find(a)];
    if (of_root == run::none) of_root = out.groups++;
    out.group[a] = of_root;
  }
  return out;
}

}  // namespace kernwatt::attribution
