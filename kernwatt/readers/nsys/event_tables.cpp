// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/event_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/readers/assembly/launch_origin.hpp"

namespace kernwatt::readers::nsys {

using namespace std::string_view_literals;
using assembly::DeviceEvent;
using assembly::no_id;
using run::LaunchKind;

namespace {

// The first columns of every table of device events, so that one function reads them.
enum DeviceColumn : std::size_t {
  start_at,
  end_at,
  device_at,
  context_at,
  stream_at,
  correlation_at,
  process_at,
  own_at
};

enum KernelColumn : std::size_t {
  demangled_at = own_at,
  short_name_at,
  mangled_at,
  name_at,
  grid_at,
  block_at = grid_at + 3,
  registers_at = block_at + 3,
  static_shared_at,
  dynamic_shared_at,
  graph_node_at,
  graph_at
};
constexpr std::array kernel_columns{"start"sv,
                                    "end"sv,
                                    "deviceId"sv,
                                    "contextId"sv,
                                    "streamId"sv,
                                    "correlationId"sv,
                                    "globalPid"sv,
                                    "demangledName"sv,
                                    "shortName"sv,
                                    "mangledName"sv,
                                    "name"sv,
                                    "gridX"sv,
                                    "gridY"sv,
                                    "gridZ"sv,
                                    "blockX"sv,
                                    "blockY"sv,
                                    "blockZ"sv,
                                    "registersPerThread"sv,
                                    "staticSharedMemory"sv,
                                    "dynamicSharedMemory"sv,
                                    "graphNodeId"sv,
                                    "graphId"sv};
constexpr std::array copy_columns{"start"sv,         "end"sv,       "deviceId"sv, "contextId"sv,  "streamId"sv,
                                  "correlationId"sv, "globalPid"sv, "copyKind"sv, "graphNodeId"sv};
constexpr std::array set_columns{"start"sv,    "end"sv,           "deviceId"sv,  "contextId"sv,
                                 "streamId"sv, "correlationId"sv, "globalPid"sv, "graphNodeId"sv};
constexpr std::array graph_columns{"start"sv,         "end"sv,       "deviceId"sv, "contextId"sv,  "streamId"sv,
                                   "correlationId"sv, "globalPid"sv, "graphId"sv,  "graphExecId"sv};

enum CallColumn : std::size_t { call_thread_at = 2, call_correlation_at, call_name_at };
constexpr std::array call_columns{"start"sv, "end"sv, "globalTid"sv, "correlationId"sv, "nameId"sv};

constexpr std::string_view kernel_table = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view concurrent_kernel_table = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL";  // nvprof's
constexpr std::string_view copy_table = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view set_table = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view graph_table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view runtime_table = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view driver_table = "CUPTI_ACTIVITY_KIND_DRIVER";
constexpr std::string_view range_table = "NVTX_EVENTS";

/// ENUM_CUDA_MEMCPY_OPER, in its own order.
constexpr std::array copy_kinds{"Unknown"sv,
                                "Host-to-Device"sv,
                                "Device-to-Host"sv,
                                "Host-to-Array"sv,
                                "Array-to-Host"sv,
                                "Array-to-Array"sv,
                                "Array-to-Device"sv,
                                "Device-to-Array"sv,
                                "Device-to-Device"sv,
                                "Host-to-Host"sv,
                                "Peer-to-Peer"sv,
                                "Unified Host-to-Device"sv,
                                "Unified Device-to-Host"sv,
                                "Unified Device-to-Device"sv};

std::optional<std::uint32_t> small_number(std::optional<std::int64_t> value) {
  if (!value || *value < 0 || *value >= run::none) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<run::Dim3> dimensions(const TableScan& scan, std::size_t first) {
  run::Dim3 result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto part = small_number(scan.integer(first + i));
    if (!part) return std::nullopt;
    result[i] = *part;
  }
  return result;
}

std::uint64_t launch_key(std::uint32_t process, std::int64_t correlation) {
  constexpr unsigned process_shift = 40;
  return (std::uint64_t{process} << process_shift) ^ static_cast<std::uint64_t>(correlation);
}

}  // namespace

std::size_t EventTables::ClassKeyHash::operator()(const ClassKey& key) const {
  std::uint64_t hash = std::uint64_t{key.name} * 4U + static_cast<std::uint64_t>(key.kind);
  for (std::size_t i = 0; i < key.grid.size(); ++i) {
    hash = (hash ^ ((std::uint64_t{key.grid[i]} << 32U) | key.block[i])) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

EventTables::EventTables(NsysDatabase& database, assembly::Records& records, const Progress& progress)
    : database_(database),
      records_(records),
      progress_(progress),
      ids_(database),
      kernel_names_(ids_, records.strings),
      call_names_(ids_, records.strings),
      texts_(ids_, records.strings) {
  for (const auto name : {kernel_table, copy_table, set_table, runtime_table, range_table}) {
    if (const Table* table = database.find(name)) rows_expected_ += database.rows_at_most(*table);
  }
}

void EventTables::read() {
  read_kernels();
  read_copies();
  read_sets();
  read_graphs();
  read_calls(runtime_table);
  read_calls(driver_table);
  read_ranges();
  records_.threads = static_cast<std::uint32_t>(keys_.process_of_thread().size());
}

void EventTables::advance() {
  constexpr std::uint64_t step = 1U << 16U;
  if (++rows_done_ % step != 0 || !progress_ || rows_expected_ == 0) return;
  const double share = std::min(1.0, static_cast<double>(rows_done_) / static_cast<double>(rows_expected_));
  progress_(static_cast<std::uint64_t>(share * static_cast<double>(database_.size_bytes())), database_.size_bytes());
}

template <class T>
void EventTables::reserve(std::vector<T>& column, const Table* table) {
  if (table != nullptr) column.reserve(column.size() + database_.rows_at_most(*table));
}

bool EventTables::add_device_event(const TableScan& scan, std::uint32_t kernel_class, DeviceEvent event) {
  assembly::EventCounts& counts = records_.counts;
  advance();
  const auto name = [&] { return records_.strings.at(records_.classes[kernel_class].name); };
  const auto start = scan.integer(start_at);
  const auto end = scan.integer(end_at);
  if (!start || !end || __builtin_sub_overflow(*end, *start, &event.duration)) {
    counts.unreadable_times.add(name());
    return false;
  }
  if (event.duration < 0) {
    counts.negative_durations.add(name());
    return false;
  }
  if (*start == 0 && *end == 0) {
    counts.lost_timestamps.add(name());
    return false;
  }
  event.start = *start;
  event.correlation = scan.integer(correlation_at).value_or(no_id);
  if (event.correlation == 0) event.correlation = no_id;
  event.kernel_class = kernel_class;
  const auto device = scan.integer(device_at);
  if (!device) ++counts.without_device;
  event.stream = keys_.stream({keys_.process(scan.integer(process_at)), device.value_or(no_id),
                               scan.integer(context_at).value_or(0), scan.integer(stream_at).value_or(no_id)});
  if (!facts_.device_time) facts_.device_time = TimeSpan{*start, *end};
  facts_.device_time->first = std::min(facts_.device_time->first, *start);
  facts_.device_time->last = std::max(facts_.device_time->last, *end);
  records_.device.push_back(event);
  return true;
}

std::uint32_t EventTables::class_of(const ClassKey& key, const assembly::ClassRecord& record) {
  if (last_class_ != run::none && key == last_class_key_) return last_class_;
  const auto [found, is_new] = classes_.try_emplace(key, static_cast<std::uint32_t>(records_.classes.size()));
  if (is_new) records_.classes.push_back(record);
  last_class_key_ = key;
  last_class_ = found->second;
  return last_class_;
}

std::uint32_t EventTables::kernel_name(const TableScan& scan) {
  for (const std::size_t column : {demangled_at, short_name_at, mangled_at, name_at}) {
    if (const std::uint32_t name = kernel_names_.read(scan, column); name != 0) return name;
  }
  ++records_.counts.without_name;
  return records_.strings.intern("(no name)");
}

std::uint32_t EventTables::kernel_class(const TableScan& scan, std::uint32_t name) {
  constexpr std::uint32_t absent = run::none;
  const auto grid = dimensions(scan, grid_at);
  const auto block = dimensions(scan, block_at);
  const ClassKey key{name, LaunchKind::kernel, grid.value_or(run::Dim3{absent, absent, absent}),
                     block.value_or(run::Dim3{absent, absent, absent})};
  if (last_class_ != run::none && key == last_class_key_) return last_class_;
  std::optional<std::uint32_t> shared;
  if (scan.has(static_shared_at) || scan.has(dynamic_shared_at)) {
    const std::int64_t sum = static_cast<std::int64_t>(small_number(scan.integer(static_shared_at)).value_or(0)) +
                             small_number(scan.integer(dynamic_shared_at)).value_or(0);
    shared = small_number(sum);
  }
  return class_of(key, {name, LaunchKind::kernel, grid, block, small_number(scan.integer(registers_at)), shared});
}

void EventTables::read_kernels() {
  const Table* table = database_.find(kernel_table);
  if (table == nullptr) table = database_.find(concurrent_kernel_table);
  const bool has_graph_records = database_.find(graph_table) != nullptr;
  reserve(records_.device, table);
  TableScan scan(database_, table, kernel_columns);
  while (scan.next()) {
    DeviceEvent event;
    event.graph_node = scan.integer(graph_node_at).value_or(0) != 0;
    if (const auto graph = scan.integer(graph_at); graph && *graph != 0) {
      event.graph = records_.strings.intern(std::to_string(*graph));
      event.graph_node = true;
    }
    if (!add_device_event(scan, kernel_class(scan, kernel_name(scan)), event)) continue;
    const DeviceEvent& added = records_.device.back();
    if (has_graph_records && added.graph_node && added.correlation != no_id) {
      graph_node_launches_.push_back(launch_key(keys_.streams()[added.stream].process, added.correlation));
    }
  }
}

void EventTables::read_copies() {
  TableScan scan(database_, database_.find(copy_table), copy_columns);
  while (scan.next()) {
    const auto kind = scan.integer(own_at);
    const bool known = kind && *kind > 0 && static_cast<std::uint64_t>(*kind) < copy_kinds.size();
    const std::uint32_t name =
        known ? records_.strings.intern(fmt::format("[CUDA memcpy {}]", copy_kinds[static_cast<std::size_t>(*kind)]))
              : records_.strings.intern("[CUDA memcpy]");
    DeviceEvent event;
    event.graph_node = scan.integer(own_at + 1).value_or(0) != 0;
    add_device_event(scan, class_of({name, LaunchKind::memcpy, {}, {}}, {name, LaunchKind::memcpy, {}, {}, {}, {}}),
                     event);
  }
}

void EventTables::read_sets() {
  TableScan scan(database_, database_.find(set_table), set_columns);
  const std::uint32_t name = records_.strings.intern("[CUDA memset]");
  while (scan.next()) {
    DeviceEvent event;
    event.graph_node = scan.integer(own_at).value_or(0) != 0;
    add_device_event(scan, class_of({name, LaunchKind::memset, {}, {}}, {name, LaunchKind::memset, {}, {}, {}, {}}),
                     event);
  }
}

/// One record for each launch of a graph. Its kernels are not in the file, unless it says so by their own records.
void EventTables::read_graphs() {
  std::sort(graph_node_launches_.begin(), graph_node_launches_.end());
  TableScan scan(database_, database_.find(graph_table), graph_columns);
  while (scan.next()) {
    const auto correlation = scan.integer(correlation_at);
    const std::uint64_t key = launch_key(keys_.process(scan.integer(process_at)), correlation.value_or(0));
    if (correlation && std::binary_search(graph_node_launches_.begin(), graph_node_launches_.end(), key)) {
      ++facts_.graph_records_doubled;
      continue;
    }
    auto number = scan.integer(own_at);
    if (!number || *number == 0) number = scan.integer(own_at + 1);
    DeviceEvent event;
    event.graph_node = true;
    if (number && *number != 0) event.graph = records_.strings.intern(std::to_string(*number));
    const std::uint32_t name =
        records_.strings.intern(number ? fmt::format("CUDA graph {}", *number) : std::string("CUDA graph"));
    const std::uint32_t kernel_class =
        class_of({name, LaunchKind::kernel, {}, {}}, {name, LaunchKind::kernel, {}, {}, {}, {}});
    if (add_device_event(scan, kernel_class, event)) ++facts_.graph_records;
  }
  std::vector<std::uint64_t>().swap(graph_node_launches_);
}

std::optional<TimeSpan> EventTables::host_times(const TableScan& scan) {
  advance();
  const auto start = scan.integer(start_at);
  const auto end = scan.integer(end_at);
  std::int64_t duration = 0;
  if (!start || !end || __builtin_sub_overflow(*end, *start, &duration) || duration < 0) {
    ++records_.counts.unreadable_host_times;
    return std::nullopt;
  }
  return TimeSpan{*start, *end};
}

/// "cudaLaunchKernel_v7000", "cudaMemcpyAsync_ptsz_v7000": the version is no part of what is called.
std::uint32_t EventTables::call_name(std::optional<std::int64_t> id) {
  if (!id) return 0;
  const auto [found, is_new] = call_name_of_id_.try_emplace(*id, 0);
  if (!is_new) return found->second;
  found->second = call_names_.of_id(*id);
  std::string_view name = records_.strings.at(found->second);
  const std::size_t version = name.rfind("_v");
  const bool versioned = version != std::string_view::npos && version + 2 < name.size() &&
                         name.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
  if (versioned) found->second = records_.strings.intern(std::string(name.substr(0, version)));
  return found->second;
}

void EventTables::read_calls(std::string_view name) {
  const Table* table = database_.find(name);
  reserve(records_.calls, table);
  TableScan scan(database_, table, call_columns);
  while (scan.next()) {
    const std::uint32_t call = call_name(scan.integer(call_name_at));
    if (assembly::records_a_graph(records_.strings.at(call))) ++records_.counts.capture_calls;
    const auto times = host_times(scan);
    const auto correlation = scan.integer(call_correlation_at);
    if (!times || !correlation || *correlation == 0) continue;
    records_.calls.push_back(
        {times->first, times->last, *correlation, keys_.thread(scan.integer(call_thread_at)), call});
  }
}

}  // namespace kernwatt::readers::nsys
