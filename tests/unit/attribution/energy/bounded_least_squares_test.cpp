// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/bounded_least_squares.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kernwatt::attribution {
namespace {

/// The optimum is where no free variable has a gradient and no clamped one is pulled inwards.
void expect_optimal(const Eigen::MatrixXd& h, const Eigen::VectorXd& c, const Eigen::VectorXd& low,
                    const Eigen::VectorXd& high, const Eigen::VectorXd& x) {
  const Eigen::VectorXd gradient = h * x - c;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    EXPECT_GE(x(i), low(i) - 1e-12);
    EXPECT_LE(x(i), high(i) + 1e-12);
    EXPECT_TRUE(x(i) <= low(i) + 1e-9 || gradient(i) <= 1e-6) << "could still go down: " << i;
    EXPECT_TRUE(x(i) >= high(i) - 1e-9 || gradient(i) >= -1e-6) << "could still go up: " << i;
  }
}

TEST(BoundedLeastSquares, IsOptimalOnRandomProblems) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = 1 + trial % 23;
    const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(n + 3, n, [&] { return normal(random); });
    const Eigen::MatrixXd h = a.transpose() * a + 1e-3 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd c = Eigen::VectorXd::NullaryExpr(n, [&] { return 5 * normal(random); });
    const Eigen::VectorXd low = Eigen::VectorXd::Constant(n, -0.5);
    const Eigen::VectorXd high = Eigen::VectorXd::Constant(n, 0.7);
    expect_optimal(h, c, low, high, solve_bounded(h, c, low, high));
  }
}

TEST(BoundedLeastSquares, WithoutActiveBoundsIsTheLinearSolution) {
  const Eigen::MatrixXd h = (Eigen::MatrixXd(2, 2) << 4, 1, 1, 3).finished();
  const Eigen::VectorXd c = (Eigen::VectorXd(2) << 1, 2).finished();
  const Eigen::VectorXd wide = Eigen::VectorXd::Constant(2, 100);
  EXPECT_TRUE(solve_bounded(h, c, -wide, wide).isApprox(h.llt().solve(c), 1e-12));
}

}  // namespace
}  // namespace kernwatt::attribution
