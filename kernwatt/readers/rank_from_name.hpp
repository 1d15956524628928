// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace kernwatt::readers {

/// The rank in a file's name, as people and PyTorch write it: "rank0.json", "trace_rank-3.json.gz",
/// "worker2_step_12.1694128201554.pt.trace.json". Empty when there is none.
std::optional<int> rank_from_name(std::string_view file_name);

}  // namespace kernwatt::readers
