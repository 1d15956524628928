// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/read.hpp"

/// What the tests of all trace readers share.
namespace kernwatt::readers {

inline std::filesystem::path traces_dir() {
  const char* const given = std::getenv("KERNWATT_SHARED_DIR");
  const std::filesystem::path shared(given != nullptr ? given : KERNWATT_SOURCE_DIR "/../shared");
  return shared / "data" / "traces";
}

inline const QualityEntry* find_entry(const run::Trace& trace, std::string_view id) {
  const auto& all = trace.quality.entries();
  const auto found = std::find_if(all.begin(), all.end(), [id](const QualityEntry& entry) { return entry.id == id; });
  return found == all.end() ? nullptr : &*found;
}
inline std::string message_of(const run::Trace& trace, std::string_view id) {
  const QualityEntry* entry = find_entry(trace, id);
  return entry == nullptr ? std::string() : entry->message;
}
inline std::uint64_t count_of(const run::Trace& trace, std::string_view id) {
  const QualityEntry* entry = find_entry(trace, id);
  return entry == nullptr ? 0 : entry->count;
}

inline run::LaunchKind kind_of(const run::Trace& trace, const run::Launch& launch) {
  return trace.classes[launch.kernel_class].kind;
}
inline std::string name_of(const run::Trace& trace, const run::Launch& launch) {
  return std::string(trace.names.at(trace.classes[launch.kernel_class].name));
}
/// The site that asked for a launch. Precondition: the trace says it.
inline const run::Site& site_of(const run::Trace& trace, const run::Launch& launch) {
  return trace.sites.at(trace.calls.at(launch.call).site);
}
inline std::string text_of(const run::Trace& trace, run::NameId id) {
  return id == run::none ? "-" : std::string(trace.names.at(id));
}
inline std::vector<std::string> ranges_of(const run::Trace& trace, const run::Launch& launch) {
  std::vector<std::string> names;
  for (const run::NameId id : site_of(trace, launch).ranges) names.push_back(text_of(trace, id));
  return names;
}

struct Busy {
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t union_ns = 0;
  std::int64_t end_ns = INT64_MIN;
  std::int64_t start_ns = 0;
  void add(const run::Launch& launch) {
    if (count++ == 0) start_ns = launch.start_ns;
    sum_ns += launch.duration_ns;
    union_ns += std::max<std::int64_t>(0, launch.end_ns() - std::max(end_ns, launch.start_ns));
    end_ns = std::max(end_ns, launch.end_ns());
  }
};

/// Kernels (copies not) by a key of their launch.
template <class Key>
std::map<std::string, Busy> busy_by(const run::Trace& trace, Key key, bool copies = false) {
  std::map<std::string, Busy> result;
  for (const run::Launch& launch : trace.launches) {
    if (copies || kind_of(trace, launch) == run::LaunchKind::kernel) result[key(launch)].add(launch);
  }
  return result;
}

}  // namespace kernwatt::readers
