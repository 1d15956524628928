// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kernwatt::attribution {

/// Work of one training iteration by the rule of 6 operations per parameter and token (2 forward, 4 backward), for
/// traces without operand shapes. An estimate for all matrix products together, never for one class.
/// Source: docs/method.md, section "FLOPs".
struct ModelFlops {
  double parameters = 0;  ///< middle of the bounds, from the optimizer's grids
  double parameters_low = 0;
  double parameters_high = 0;
  double tokens_per_iteration = 0;  ///< rows of the normalisation, embedding and loss kernels, times the passes
  double per_iteration = 0;         ///< FLOPs of the matrix products of one iteration
  double per_iteration_low = 0;
  double per_iteration_high = 0;
  std::string how;  ///< one sentence
};

}  // namespace kernwatt::attribution
