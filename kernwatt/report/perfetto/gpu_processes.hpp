// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// Each physical GPU of a Run as one process of the exported trace; ids from 1, 0 is the program itself.
class GpuProcesses {
 public:
  explicit GpuProcesses(const run::Run& run);

  struct Process {
    std::uint32_t id = 0;
    run::GpuIdentity gpu;
    bool traced = false;  ///< launches ran on it
  };
  const std::vector<Process>& all() const { return processes_; }
  std::uint32_t of_trace(std::size_t trace, std::size_t gpu) const { return of_trace_[trace][gpu]; }
  std::uint32_t of_log(std::size_t log, std::size_t gpu) const { return of_log_[log][gpu]; }
  /// The number of a process's GPU in the exported trace: its index where all traced GPUs have different ones; two
  /// ranks that both call theirs 0 must not become one when the trace is read again.
  int device_of(std::uint32_t process) const;
  /// Where launches without a trace of their own are shown.
  std::uint32_t first() const { return processes_.empty() ? 1 : processes_.front().id; }

 private:
  std::uint32_t add(const run::GpuIdentity& gpu);

  std::vector<Process> processes_;
  std::vector<std::vector<std::uint32_t>> of_trace_;
  std::vector<std::vector<std::uint32_t>> of_log_;
};

std::string process_name(const run::GpuIdentity& gpu);

}  // namespace kernwatt::report
