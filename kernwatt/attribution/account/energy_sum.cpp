// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/energy_sum.hpp"

#include <algorithm>
#include <vector>

namespace kernwatt::attribution {

double EnergySum::joules(const PowerFit& fit) const {
  double sum = 0;
  for (const auto& [column, s] : columns_)
    sum += (fit.static_w() + fit.theta(Parameters::dynamic(column))) * s.first +
           fit.theta(fit.at.slope(column)) * s.second;
  return sum;
}

double EnergySum::joules_at_reference(const PowerFit& fit) const {
  double sum = 0;
  for (const auto& [column, s] : columns_) sum += fit.column_w(column, 0) * s.first;
  return sum;
}

double EnergySum::quadratic(const PowerFit& fit, bool with_clock) const {
  std::vector<std::pair<Eigen::Index, double>> factor;
  double total_s = 0;
  for (const auto& [column, s] : columns_) {
    factor.emplace_back(Parameters::dynamic(column), s.first);
    if (with_clock) factor.emplace_back(fit.at.slope(column), s.second);
    total_s += s.first;
  }
  factor.emplace_back(Parameters::statics(), total_s);
  double sum = 0;
  for (const auto& [i, a] : factor)
    for (const auto& [j, b] : factor) sum += a * b * fit.covariance(i, j);
  return std::max(0.0, sum);
}

double EnergySum::variance(const PowerFit& fit) const { return quadratic(fit, true); }
double EnergySum::variance_at_reference(const PowerFit& fit) const { return quadratic(fit, false); }

}  // namespace kernwatt::attribution
