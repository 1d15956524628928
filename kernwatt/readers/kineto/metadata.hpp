// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/run/gpu.hpp"

namespace kernwatt::readers::kineto {

/// "dropped": 5000, as some member of the document has it.
struct LossCount {
  std::string key;
  std::uint64_t count = 0;
};

/// What the document says beside its events.
struct Metadata {
  std::optional<std::int64_t> base_time_ns;
  std::optional<int> rank;
  std::optional<int> world_size;
  std::vector<run::GpuIdentity> devices;  ///< deviceProperties, in their order
  std::vector<LossCount> losses;          ///< the profiler's own counts of lost records
  std::vector<std::string> keys;          ///< all members, for messages
  std::vector<std::string> unreadable;    ///< members that are not JSON
};

/// Reads one member of the document. `text` is its value, as in the file.
void read_member(std::string_view key, std::string_view text, Metadata& metadata);

}  // namespace kernwatt::readers::kineto
