// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/bounded_least_squares.hpp"

#include <algorithm>
#include <vector>

namespace kernwatt::attribution {
namespace {

/// Solves for the free variables with the others held where they are.
void solve_free(const Eigen::MatrixXd& h, const Eigen::VectorXd& c, const std::vector<Eigen::Index>& free,
                Eigen::VectorXd& x) {
  const auto n = static_cast<Eigen::Index>(free.size());
  for (const Eigen::Index i : free) x(i) = 0;
  const Eigen::VectorXd fixed = h * x;
  Eigen::MatrixXd part(n, n);
  Eigen::VectorXd right(n);
  for (Eigen::Index a = 0; a < n; ++a) {
    right(a) = c(free[static_cast<std::size_t>(a)]) - fixed(free[static_cast<std::size_t>(a)]);
    for (Eigen::Index b = 0; b < n; ++b)
      part(a, b) = h(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
  }
  const Eigen::VectorXd solution = part.llt().solve(right);
  for (Eigen::Index a = 0; a < n; ++a) x(free[static_cast<std::size_t>(a)]) = solution(a);
}

}  // namespace

Eigen::VectorXd solve_bounded(const Eigen::MatrixXd& h, const Eigen::VectorXd& c, const Eigen::VectorXd& low,
                              const Eigen::VectorXd& high) {
  const Eigen::Index n = c.size();
  enum class State : char { free, at_low, at_high };
  std::vector<State> state(static_cast<std::size_t>(n), State::free);
  const auto of = [&](Eigen::Index i) -> State& { return state[static_cast<std::size_t>(i)]; };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  for (Eigen::Index round = 0; round < 3 * n + 10; ++round) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (of(i) == State::free) free.push_back(i);
      if (of(i) == State::at_low) x(i) = low(i);
      if (of(i) == State::at_high) x(i) = high(i);
    }
    solve_free(h, c, free, x);
    bool clamped = false;
    for (const Eigen::Index i : free) {
      if (x(i) < low(i)) of(i) = State::at_low, clamped = true;
      if (x(i) > high(i)) of(i) = State::at_high, clamped = true;
    }
    if (clamped) continue;
    const Eigen::VectorXd gradient = h * x - c;
    Eigen::Index worst = -1;  // one at a time, so that the active set cannot cycle between two states
    double pull = 1e-9 * (1 + c.cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < n; ++i) {
      const double inward = of(i) == State::at_low ? -gradient(i) : of(i) == State::at_high ? gradient(i) : 0.0;
      if (inward > pull) pull = inward, worst = i;
    }
    if (worst < 0) break;
    of(worst) = State::free;
  }
  return x.cwiseMax(low).cwiseMin(high);
}

}  // namespace kernwatt::attribution
