// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kernel_csv/launch_order.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace kernwatt::readers {

void sort_launches(run::Trace& trace) {
  auto& launches = trace.launches;
  const auto earlier = [](const run::Launch& a, const run::Launch& b) {
    return std::tuple(a.start_ns, a.end_ns()) < std::tuple(b.start_ns, b.end_ns());
  };
  if (!std::is_sorted(launches.begin(), launches.end(), earlier)) {
    trace.quality.add("trace.out-of-order", Severity::info, "the launches were not in order of time; sorted");
  }
  const auto key = [](const run::Launch& a) { return std::tuple(a.start_ns, a.end_ns(), a.stream, a.kernel_class); };
  const auto before = [&key](const run::Launch& a, const run::Launch& b) { return key(a) < key(b); };
  if (!std::is_sorted(launches.begin(), launches.end(), before)) {
    std::stable_sort(launches.begin(), launches.end(), before);
  }
  const auto end = std::unique(launches.begin(), launches.end(), [&key](const run::Launch& a, const run::Launch& b) {
    return a.duration_ns > 0 && key(a) == key(b);
  });
  if (end == launches.end()) return;
  trace.quality.add("trace.duplicates", Severity::warning,
                    "rows that are there twice (name, stream, device, start and duration are equal) were removed",
                    static_cast<std::uint64_t>(launches.end() - end));
  launches.erase(end, launches.end());
}

}  // namespace kernwatt::readers
