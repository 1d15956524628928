// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernwatt/readers/assembly/string_pool.hpp"
#include "kernwatt/run/trace.hpp"

/// What is kept of a profiler's events until the trace is complete, as small as possible: there are millions.
/// Times are nanoseconds as in the file, without the file's base. Names are ids in Records::strings.
namespace kernwatt::readers::assembly {

/// "The event has no such id".
inline constexpr std::int64_t no_id = std::numeric_limits<std::int64_t>::min();

struct DeviceEvent {
  std::int64_t start = 0;
  std::int64_t duration = 0;
  std::int64_t correlation = no_id;
  std::int64_t external_id = no_id;
  std::uint32_t kernel_class = run::none;
  std::uint32_t stream = run::none;
  std::uint32_t graph = 0;  ///< the graph's id as text; 0 when the event does not name one
  bool graph_node = false;  ///< the event says that a graph launched it
};

struct HostCall {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t correlation = no_id;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
};

struct HostOperation {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t external_id = no_id;
  std::int64_t sequence = -1;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  std::uint32_t shapes = 0;
  std::uint32_t types = 0;
};

enum class SpanKind : std::uint8_t { annotation, module, iteration };

/// Whose launches a span encloses.
enum class SpanReach : std::uint8_t {
  thread,  ///< those of its own thread
  process  ///< those of every thread of its process: it began on one thread and ended on another
};

struct HostSpan {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t external_id = no_id;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  SpanKind kind = SpanKind::annotation;
  SpanReach reach = SpanReach::thread;
};

struct ClassRecord {
  std::uint32_t name = 0;
  run::LaunchKind kind = run::LaunchKind::kernel;
  std::optional<run::Dim3> grid;
  std::optional<run::Dim3> block;
  std::optional<std::uint32_t> registers;
  std::optional<std::uint32_t> shared_memory;
};

struct StreamRecord {
  std::uint32_t gpu = 0;  ///< index into Records::gpus; while kineto's events are read, the device as text
  std::uint32_t name = 0;
  /// of the collectives on it; 0 without any, run::none when they are of several groups
  std::uint32_t process_group = 0;
};

/// How often something happened, and where first.
struct Occurrence {
  std::uint64_t count = 0;
  std::string first;
  void add(std::string_view where) {
    if (count++ == 0) first = where;
  }
};

struct EventCounts {
  std::uint64_t events = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_category;  ///< complete events ("X") only
  std::uint64_t begin_end_events = 0;                             ///< phases "B" and "E" of device categories
  Occurrence lost_timestamps;                                     ///< device events at time 0 with duration 0
  Occurrence negative_durations;                                  ///< device events
  Occurrence unreadable_times;  ///< device events whose times are no numbers, or too large
  std::uint64_t unreadable_host_times = 0;
  std::uint64_t without_name = 0;
  std::uint64_t without_device = 0;  ///< device events that do not say which device
  Occurrence control_characters;
  Occurrence invalid_utf8;
  Occurrence backslashes;
  Occurrence not_numbers;
  std::uint64_t capture_calls = 0;  ///< host calls that record a graph
};

struct Records {
  StringPool strings;
  std::vector<DeviceEvent> device;
  std::vector<HostCall> calls;
  std::vector<HostOperation> operations;
  std::vector<HostSpan> spans;
  std::vector<ClassRecord> classes;
  std::vector<StreamRecord> streams;
  std::vector<run::GpuIdentity> gpus;  ///< those that did something
  std::uint32_t threads = 0;
  std::vector<std::uint32_t> process_of_thread;  ///< dense from 0; empty when all threads are of one process
  std::int64_t rounding_ns = 0;  ///< ranges that seem to cross by less than this are nested: their times were rounded
  std::optional<std::int64_t> base_time_ns;  ///< added to each time, unless the times are since the epoch already
  std::optional<std::pair<std::int64_t, std::int64_t>> profiler_window;
  EventCounts counts;
};

}  // namespace kernwatt::readers::assembly
