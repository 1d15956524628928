// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/run/names.hpp"

namespace kernwatt::attribution {

/// One GPU as one trace sees it.
struct TracedGpu {
  std::uint32_t trace = 0;           ///< index into the traces
  std::uint32_t gpu = 0;             ///< index into Trace::gpus
  std::uint32_t logged = run::none;  ///< index into the logged GPUs; none when no log has it
};

}  // namespace kernwatt::attribution
