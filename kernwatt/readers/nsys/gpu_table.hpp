// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/readers/nsys/nsys_database.hpp"
#include "kernwatt/run/gpu.hpp"

namespace kernwatt::readers::nsys {

/// How a device number of the file was found to be a GPU.
enum class GpuMatch : std::uint8_t {
  by_process,  ///< the file maps the process's CUDA devices to GPUs
  by_number,   ///< the number was taken for the number of a GPU: one order for all processes is assumed
  unknown      ///< the file lists no such GPU
};

/// The GPUs of the machine, as the file lists them in any order, and which one each process calls which number.
class GpuTable {
 public:
  explicit GpuTable(NsysDatabase& database);

  struct Found {
    run::GpuIdentity gpu;            ///< index: the number that was asked for
    std::optional<std::int64_t> id;  ///< what tells GPUs apart; empty when unknown
    GpuMatch match = GpuMatch::unknown;
  };
  /// @param pid  of the process that counts so; empty when the file does not say
  Found find(std::optional<std::int64_t> pid, std::int64_t device) const;

 private:
  struct Gpu {
    std::int64_t id = 0;
    std::optional<std::int64_t> cuda_device;
    run::GpuIdentity identity;
  };
  struct CudaDevice {
    std::optional<std::int64_t> gpu;
    std::int64_t number = 0;
    std::optional<std::int64_t> pid;
    run::GpuIdentity identity;
  };
  void read_gpus(NsysDatabase& database);
  void read_cuda_devices(NsysDatabase& database);
  void read_host_name(NsysDatabase& database);
  const CudaDevice* find_cuda_device(std::optional<std::int64_t> pid, std::int64_t device) const;
  const Gpu* find_gpu(std::int64_t id) const;

  std::vector<Gpu> gpus_;
  std::vector<CudaDevice> cuda_devices_;
  std::string host_;
};

}  // namespace kernwatt::readers::nsys
