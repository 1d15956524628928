// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

#include "kernwatt/run/trace.hpp"

/// What holds for every trace, whatever file it was read from.
namespace kernwatt::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void check(const run::Trace& trace) {
  std::int64_t last = INT64_MIN;
  for (const run::Launch& launch : trace.launches) {
    require(launch.start_ns >= last && launch.duration_ns >= 0 && launch.end_ns() >= launch.start_ns);
    require(launch.kernel_class < trace.classes.size() && launch.stream < trace.streams.size());
    require(launch.call == run::none || trace.calls.at(launch.call).site < trace.sites.size());
    require(launch.iteration == run::none || launch.iteration < trace.iteration_marks.size());
    require(trace.streams[launch.stream].gpu < trace.gpus.size());
    last = launch.start_ns;
  }
  for (const run::KernelClass& c : trace.classes) require(c.name < trace.names.size());
  for (const run::Site& site : trace.sites) {
    for (const run::NameId name : site.ranges) require(name < trace.names.size());
  }
  for (const run::HostRange& range : trace.host_ranges) require(range.start_ns <= range.end_ns);
  for (const run::HostRange& mark : trace.iteration_marks) require(mark.start_ns <= mark.end_ns);
}

}  // namespace kernwatt::fuzz
