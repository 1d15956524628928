// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/perfetto/gpu_processes.hpp"

#include <optional>
#include <set>

namespace kernwatt::report {
namespace {

bool same(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid;
  if (!a.pci_bus_id.empty() && !b.pci_bus_id.empty()) return a.pci_bus_id == b.pci_bus_id && a.host == b.host;
  return false;
}

/// Two logs that know a GPU by index only mean the same one; a trace and a log count differently.
bool same_in_logs(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  return same(a, b) || (a.index == b.index && a.uuid == b.uuid && a.pci_bus_id == b.pci_bus_id && a.host == b.host);
}

std::size_t gpus_with_launches(const run::Trace& trace) {
  std::vector<bool> used(trace.gpus.size(), false);
  for (const run::Launch& launch : trace.launches)
    if (launch.stream < trace.streams.size()) used[trace.streams[launch.stream].gpu] = true;
  std::size_t count = 0;
  for (const bool is_used : used) count += is_used ? 1 : 0;
  return count;
}

}  // namespace

GpuProcesses::GpuProcesses(const run::Run& run) {
  for (const run::Trace& trace : run.traces) {
    std::vector<std::uint32_t>& ids = of_trace_.emplace_back();
    for (const run::GpuIdentity& gpu : trace.gpus) {
      ids.push_back(add(gpu));
      processes_[ids.back() - 1].traced = true;
    }
  }
  const std::size_t traced = processes_.size();
  // One GPU with launches and one in the logs: there is nothing to confuse, as in the attribution.
  const bool only_one = run.traces.size() == 1 && gpus_with_launches(run.traces[0]) == 1 && traced == 1;
  for (const run::PowerLog& log : run.power) {
    std::vector<std::uint32_t>& ids = of_log_.emplace_back();
    for (const run::GpuPower& gpu : log.gpus) {
      std::uint32_t id = only_one && log.gpus.size() == 1 ? 1 : 0;
      for (std::size_t i = 0; id == 0 && i < processes_.size(); ++i) {
        const bool match = i < traced ? same(processes_[i].gpu, gpu.gpu) : same_in_logs(processes_[i].gpu, gpu.gpu);
        if (match) id = processes_[i].id;
      }
      if (id == 0) {
        id = static_cast<std::uint32_t>(processes_.size() + 1);
        processes_.push_back({id, gpu.gpu, false});
      }
      ids.push_back(id);
    }
  }
}

int GpuProcesses::device_of(std::uint32_t process) const {
  std::set<int> indices;
  bool distinct = true;
  for (const Process& known : processes_)
    if (known.traced) distinct = known.gpu.index && indices.insert(*known.gpu.index).second && distinct;
  const std::optional<int>& index = processes_[process - 1].gpu.index;
  return distinct && index ? *index : static_cast<int>(process) - 1;
}

std::uint32_t GpuProcesses::add(const run::GpuIdentity& gpu) {
  for (const Process& known : processes_)
    if (same(known.gpu, gpu)) return known.id;
  processes_.push_back({static_cast<std::uint32_t>(processes_.size() + 1), gpu, false});
  return processes_.back().id;
}

std::string process_name(const run::GpuIdentity& gpu) {
  std::string text = gpu.index ? "GPU " + std::to_string(*gpu.index) : std::string("GPU");
  for (const std::string& part : {gpu.host, gpu.name, gpu.uuid.empty() ? gpu.pci_bus_id : gpu.uuid})
    if (!part.empty()) text += " " + part;
  return text;
}

}  // namespace kernwatt::report
