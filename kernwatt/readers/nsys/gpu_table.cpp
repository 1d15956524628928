// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/gpu_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/gpu_identifier.hpp"

namespace kernwatt::readers::nsys {
namespace {

constexpr std::size_t most_devices = 65'536;

std::optional<int> small_number(std::optional<std::int64_t> value) {
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

GpuTable::GpuTable(NsysDatabase& database) {
  read_gpus(database);
  read_cuda_devices(database);
  read_host_name(database);
}

void GpuTable::read_gpus(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("id"),   std::string_view("cuDevice"),
                               std::string_view("name"), std::string_view("busLocation"),
                               std::string_view("uuid"), std::string_view("smCount")};
  TableScan scan(database, database.find("TARGET_INFO_GPU"), columns);
  while (gpus_.size() < most_devices && scan.next()) {
    Gpu gpu;
    const auto id = scan.integer(0);
    if (!id && !scan.has(1)) continue;
    gpu.cuda_device = scan.integer(1);
    gpu.id = id.value_or(static_cast<std::int64_t>(gpus_.size()));
    gpu.identity.name = visible_text(scan.text(2).value_or(""));
    gpu.identity.pci_bus_id = normalized_bus_id(scan.text(3).value_or(""));
    gpu.identity.uuid = normalized_uuid(scan.text(4).value_or(""));
    if (const auto count = small_number(scan.integer(5)); count && *count > 0) gpu.identity.sm_count = count;
    gpus_.push_back(std::move(gpu));
  }
}

void GpuTable::read_cuda_devices(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("gpuId"), std::string_view("cudaId"), std::string_view("pid"),
                               std::string_view("uuid"), std::string_view("numMultiprocessors")};
  TableScan scan(database, database.find("TARGET_INFO_CUDA_DEVICE"), columns);
  while (cuda_devices_.size() < most_devices && scan.next()) {
    const auto number = scan.integer(1);
    if (!number) continue;
    CudaDevice device;
    device.gpu = scan.integer(0);
    device.number = *number;
    device.pid = scan.integer(2);
    if (device.pid == 0) device.pid.reset();
    device.identity.uuid = normalized_uuid(scan.text(3).value_or(""));
    if (const auto count = small_number(scan.integer(4)); count && *count > 0) device.identity.sm_count = count;
    cuda_devices_.push_back(std::move(device));
  }
}

void GpuTable::read_host_name(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("name"), std::string_view("value")};
  TableScan scan(database, database.find("TARGET_INFO_SYSTEM_ENV"), columns);
  while (scan.next()) {
    if (scan.text(0) != std::string_view("Hostname")) continue;
    host_ = visible_text(scan.text(1).value_or(""));
    return;
  }
}

const GpuTable::CudaDevice* GpuTable::find_cuda_device(std::optional<std::int64_t> pid, std::int64_t device) const {
  constexpr std::int64_t pid_mask = 0xff'ffff;  // a GlobalId keeps 24 bits of it
  const CudaDevice* any = nullptr;
  for (const CudaDevice& known : cuda_devices_) {
    if (known.number != device) continue;
    if (pid && known.pid && (*known.pid & pid_mask) == (*pid & pid_mask)) return &known;
    if (pid && known.pid) continue;
    // Without a process on one side, the number means something only when all of them agree.
    if (any != nullptr && any->gpu != known.gpu) return nullptr;
    any = &known;
  }
  return any;
}

const GpuTable::Gpu* GpuTable::find_gpu(std::int64_t id) const {
  const auto found = std::find_if(gpus_.begin(), gpus_.end(), [id](const Gpu& gpu) { return gpu.id == id; });
  return found != gpus_.end() ? &*found : nullptr;
}

GpuTable::Found GpuTable::find(std::optional<std::int64_t> pid, std::int64_t device) const {
  Found found;
  const CudaDevice* cuda = find_cuda_device(pid, device);
  const Gpu* gpu = cuda != nullptr && cuda->gpu ? find_gpu(*cuda->gpu) : nullptr;
  found.match = GpuMatch::by_process;
  if (gpu == nullptr && cuda == nullptr) {
    const auto by_cuda_number = std::find_if(
        gpus_.begin(), gpus_.end(), [device](const Gpu& candidate) { return candidate.cuda_device == device; });
    gpu = by_cuda_number != gpus_.end() ? &*by_cuda_number : find_gpu(device);
    found.match = gpu != nullptr ? GpuMatch::by_number : GpuMatch::unknown;
  }
  if (gpu != nullptr) {
    found.gpu = gpu->identity;
    found.id = gpu->id;
  } else if (cuda != nullptr) {
    found.id = cuda->gpu;
  }
  if (cuda != nullptr && !cuda->identity.uuid.empty()) found.gpu.uuid = cuda->identity.uuid;
  if (cuda != nullptr && !found.gpu.sm_count) found.gpu.sm_count = cuda->identity.sm_count;
  found.gpu.index = small_number(device);
  if (found.gpu.uuid.empty()) found.gpu.host = host_;
  return found;
}

}  // namespace kernwatt::readers::nsys
