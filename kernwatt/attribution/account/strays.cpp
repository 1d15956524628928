// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/strays.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t longest_launch_ns = 3600 * second_ns;
constexpr std::int64_t furthest_ns = 130LL * 365 * 24 * 3600 * second_ns;  // the year 2100
constexpr std::int64_t apart_ns = 1800 * second_ns;
constexpr double few = 0.01;

bool impossible(const run::Launch& launch) {
  return launch.start_ns < -furthest_ns || launch.start_ns > furthest_ns || launch.duration_ns < 0 ||
         launch.duration_ns > longest_launch_ns;
}

/// Groups of launches with pauses of half an hour between them: [first, last) positions.
struct Group {
  std::size_t first, last;
};

std::vector<Group> groups_of(const std::vector<run::Launch>& launches) {
  std::vector<Group> groups;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (groups.empty() || launches[i].start_ns - end > apart_ns) groups.push_back({i, i});
    groups.back().last = i + 1;
    end = groups.back().first == i ? launches[i].end_ns() : std::max(end, launches[i].end_ns());
  }
  return groups;
}

}  // namespace

void set_aside_strays(run::Trace& trace) {
  const std::size_t before = trace.launches.size();
  std::erase_if(trace.launches, impossible);
  const std::vector<Group> groups = groups_of(trace.launches);
  if (groups.size() > 1) {
    std::vector<run::Launch> kept;
    for (const Group& group : groups) {
      const auto size = static_cast<double>(group.last - group.first);
      if (size < few * static_cast<double>(trace.launches.size())) continue;
      kept.insert(kept.end(), trace.launches.begin() + static_cast<std::ptrdiff_t>(group.first),
                  trace.launches.begin() + static_cast<std::ptrdiff_t>(group.last));
    }
    trace.launches = std::move(kept);
  }
  const std::size_t strays = before - trace.launches.size();
  if (strays > 0)
    trace.quality.add(
        "trace.stray-launches", Severity::warning,
        "launches whose times cannot be (longer than an hour, or hours and years from all others); set aside", strays);
}

}  // namespace kernwatt::attribution
