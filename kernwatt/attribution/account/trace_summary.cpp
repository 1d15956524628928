// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/trace_summary.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kernwatt::attribution {

run::TraceSummary summarise(const run::Trace& trace, const CommunicationOverlap& overlap) {
  run::TraceSummary s;
  s.file = trace.file;
  s.format = trace.format;
  s.rank = trace.rank;
  s.comm_ns = overlap.comm_ns;
  s.comm_overlapped_ns = overlap.overlapped_ns;
  s.comm_waiting_ns = overlap.waiting_ns;
  std::vector<bool> gpu_used(trace.gpus.size(), false);
  std::vector<bool> name_seen(trace.names.size(), false);
  std::vector<std::int64_t> busy_until(trace.gpus.size(), INT64_MIN);
  for (const run::Launch& launch : trace.launches) {
    const run::KernelClass& kernel = trace.classes[launch.kernel_class];
    const std::uint32_t gpu = trace.streams[launch.stream].gpu;
    gpu_used[gpu] = true;
    s.start_ns = std::min(s.start_ns.value_or(launch.start_ns), launch.start_ns);
    s.end_ns = std::max(s.end_ns.value_or(launch.end_ns()), launch.end_ns());
    if (kernel.kind == run::LaunchKind::memcpy) ++s.memcpy_count;
    if (kernel.kind == run::LaunchKind::memset) ++s.memset_count;
    if (kernel.kind != run::LaunchKind::kernel) continue;
    ++s.kernels;
    if (!name_seen[kernel.name]) name_seen[kernel.name] = true, ++s.distinct_names;
    s.busy_sum_ns += launch.duration_ns;
    // Launches come sorted by start, so the union grows by what lies beyond the furthest end so far.
    const std::int64_t from = std::max(launch.start_ns, busy_until[gpu]);
    if (launch.end_ns() > from) s.busy_union_ns += launch.end_ns() - from, busy_until[gpu] = launch.end_ns();
  }
  for (std::size_t g = 0; g < gpu_used.size(); ++g)
    if (gpu_used[g]) s.gpus.push_back(trace.gpus[g].index.value_or(static_cast<int>(g)));
  return s;
}

}  // namespace kernwatt::attribution
