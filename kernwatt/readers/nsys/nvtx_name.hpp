// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kernwatt::readers::nsys {

/// What the text of an NVTX range says. PyTorch's emit_nvtx writes its operators as
/// "aten::mm, seq = 12, op_id = 3, sizes = [[64, 128], [128, 256]], input_op_ids = [(1,0)]", each part only where it is
/// known.
struct NvtxName {
  std::string_view name;       ///< without what follows it
  std::string_view shapes;     ///< "[[64, 128], [128, 256]]"; empty when not there
  std::int64_t sequence = -1;  ///< autograd's sequence number
  bool is_operator = false;    ///< an operator of PyTorch, not a range of the user
};

/// The views point into `text`.
NvtxName parse_nvtx_name(std::string_view text);

}  // namespace kernwatt::readers::nsys
