// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>

namespace kernwatt::attribution {

/// min ½ xᵀHx − cᵀx subject to low <= x <= high. H symmetric positive definite (a prior makes it so).
/// Active set: clamp what leaves its bounds, release what pulls inwards; ends after at most `3 n` changes of set.
Eigen::VectorXd solve_bounded(const Eigen::MatrixXd& h, const Eigen::VectorXd& c, const Eigen::VectorXd& low,
                              const Eigen::VectorXd& high);

}  // namespace kernwatt::attribution
