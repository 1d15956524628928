// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace kernwatt::run {

/// What a file says about which GPU it means. A field that the file lacks is empty, never guessed.
/// Join by uuid, then pci_bus_id; an index means something only beside other indices of the same kind:
/// a trace counts CUDA devices, a log counts NVML devices, and the two orders differ.
struct GpuIdentity {
  std::optional<int> index;
  std::string uuid;        ///< "GPU-…"
  std::string pci_bus_id;  ///< "00000000:1B:00.0"
  std::string name;        ///< "NVIDIA H200"
  std::string host;        ///< name of its machine, where several are told apart; an index counts within a host
  std::optional<int> sm_count;
};

}  // namespace kernwatt::run
