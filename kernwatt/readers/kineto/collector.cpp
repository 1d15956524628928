// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/collector.hpp"

#include <algorithm>
#include <charconv>

#include "kernwatt/readers/assembly/iteration_name.hpp"
#include "kernwatt/readers/assembly/launch_origin.hpp"
#include "kernwatt/readers/kineto/decimal.hpp"

namespace kernwatt::readers::kineto {

namespace {

using run::LaunchKind;

/// "[8192, 1, 1]"; missing dimensions are 1.
std::optional<run::Dim3> dimensions(std::string_view text) {
  if (!text.starts_with('[')) return std::nullopt;
  run::Dim3 result{1, 1, 1};
  const char* at = text.data() + 1;
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    while (at < end && (*at == ' ' || *at == ',' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    if (at < end && *at == ']') return i > 0 ? std::optional(result) : std::nullopt;
    const auto [stop, error] = std::from_chars(at, end, result[i]);
    if (error != std::errc()) return std::nullopt;
    at = stop;
  }
  return result;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto value = integer(text);
  if (!value || *value < 0 || *value > 0xffff'fffe) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::int64_t id_of(std::string_view text) { return text.empty() ? no_id : integer(text).value_or(no_id); }

/// Old profilers have one category for operators and ranges; these names are ranges.
bool is_range_name(std::string_view name) {
  return name.starts_with("Optimizer.") || name.starts_with("enumerate(DataLoader)") || name.starts_with("## ");
}

}  // namespace

std::size_t Collector::ClassKeyHash::operator()(const ClassKey& key) const {
  std::uint64_t hash = std::uint64_t{key.name} * 4U + static_cast<std::uint64_t>(key.kind);
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29U;
  };
  for (std::size_t i = 0; i < key.grid.size(); ++i) mix((std::uint64_t{key.grid[i]} << 32U) | key.block[i]);
  return static_cast<std::size_t>(hash);
}

/// Grows a column once or twice to what the file seems to need, instead of doubling it: each doubling copies it and
/// touches new pages. Pages that are reserved and not used cost nothing.
template <class T>
void Collector::push(std::vector<T>& column, const T& item) {
  constexpr std::size_t small = 4096;
  if (column.size() == column.capacity() && column.size() >= small && source_.file_size()) {
    const auto read = static_cast<double>(source_.bytes_read_from_file());
    const double share = std::clamp(read / static_cast<double>(*source_.file_size()), 0.01, 1.0);
    column.reserve(static_cast<std::size_t>(static_cast<double>(column.size()) * std::max(1.25, 1.05 / share)));
  }
  column.push_back(item);
}

void Collector::count(const EventFields& fields) {
  EventCounts& counts = records_.counts;
  ++counts.events;
  if (fields.phase != "X") {
    const bool pair = fields.phase == "B" || fields.phase == "E";
    if (pair) ++counts.begin_end_events;
    return;
  }
  if (last_count_ == nullptr || fields.category != last_category_) {
    auto found = counts.by_category.find(fields.category);
    if (found == counts.by_category.end()) {
      constexpr std::size_t most_categories = 1000;  // a hostile file could have millions
      const bool full = counts.by_category.size() >= most_categories;
      found = counts.by_category.try_emplace(full ? "(others)" : std::string(fields.category), 0).first;
    }
    last_category_ = found->first;  // the map's own string: the fields' text moves on
    last_count_ = &found->second;
  }
  ++*last_count_;
}

void Collector::add(const EventFields& fields) {
  switch (fields.kind) {
    case EventKind::kernel:
      return add_device_event(LaunchKind::kernel, fields);
    case EventKind::memcpy:
      return add_device_event(LaunchKind::memcpy, fields);
    case EventKind::memset:
      return add_device_event(LaunchKind::memset, fields);
    case EventKind::host_call:
      return add_call(fields);
    case EventKind::operation:
      if (is_profiler_step(fields.name)) return add_span(SpanKind::iteration, fields);
      return is_range_name(fields.name) ? add_span(SpanKind::annotation, fields) : add_operation(fields);
    case EventKind::annotation:
      return add_span(is_profiler_step(fields.name) ? SpanKind::iteration : SpanKind::annotation, fields);
    case EventKind::python_frame:
      if (is_module_frame(fields.name)) add_span(SpanKind::module, fields);
      return;
    case EventKind::profiler_span: {
      const auto times = host_times(fields);
      if (!times || times->duration == 0) return;
      auto& window = records_.profiler_window;  // a merged trace has several
      if (!window) window = {times->start, times->start};
      window->first = std::min(window->first, times->start);
      window->second = std::max(window->second, times->start + times->duration);
      return;
    }
    case EventKind::other:
      return;
  }
}

std::optional<Collector::Times> Collector::device_times(const EventFields& fields) {
  EventCounts& counts = records_.counts;
  const auto start = nanoseconds_from_microseconds(fields.start);
  const auto duration = nanoseconds_from_microseconds(fields.duration);
  std::int64_t end = 0;
  if (!start || !duration || __builtin_add_overflow(*start, *duration, &end)) {
    counts.unreadable_times.add(fields.name);
  } else if (*duration < 0) {
    counts.negative_durations.add(fields.name);
  } else if (*start == 0 && *duration == 0) {
    counts.lost_timestamps.add(fields.name);
  } else {
    return Times{*start, *duration};
  }
  return std::nullopt;
}

std::optional<Collector::Times> Collector::host_times(const EventFields& fields) {
  const auto start = nanoseconds_from_microseconds(fields.start);
  const auto duration =
      fields.duration.empty() ? std::optional<std::int64_t>(0) : nanoseconds_from_microseconds(fields.duration);
  std::int64_t end = 0;
  if (!start || !duration || *duration < 0 || __builtin_add_overflow(*start, *duration, &end)) {
    ++records_.counts.unreadable_host_times;
    return std::nullopt;
  }
  return Times{*start, *duration};
}

void Collector::add_device_event(LaunchKind kind, const EventFields& fields) {
  const auto times = device_times(fields);
  if (!times) return;
  DeviceEvent event;
  event.start = times->start;
  event.duration = times->duration;
  event.correlation = id_of(fields.correlation);
  event.external_id = id_of(fields.external_id);
  event.kernel_class = class_of(kind, fields);
  event.stream = stream_of(fields);
  if (!fields.process_group.empty()) note_process_group(records_.streams[event.stream], fields.process_group);
  if (!fields.graph.empty() && fields.graph != "0") event.graph = records_.strings.intern(fields.graph);
  event.graph_node = event.graph != 0 || (!fields.graph_node.empty() && fields.graph_node != "0");
  push(records_.device, event);
}

std::uint32_t Collector::class_of(LaunchKind kind, const EventFields& fields) {
  constexpr std::uint32_t absent = run::none;
  if (fields.name.empty()) ++records_.counts.without_name;
  const auto grid = dimensions(fields.grid);
  const auto block = dimensions(fields.block);
  const ClassKey key{records_.strings.intern(fields.name.empty() ? "(no name)" : fields.name), kind,
                     grid.value_or(run::Dim3{absent, absent, absent}),
                     block.value_or(run::Dim3{absent, absent, absent})};
  const auto [found, is_new] = classes_.try_emplace(key, static_cast<std::uint32_t>(records_.classes.size()));
  if (is_new) {
    records_.classes.push_back(
        {key.name, kind, grid, block, small_number(fields.registers), small_number(fields.shared_memory)});
  }
  return found->second;
}

std::uint32_t Collector::pair_index(std::unordered_map<std::uint64_t, std::uint32_t>& map, std::uint32_t a,
                                    std::uint32_t b) {
  return map.try_emplace((std::uint64_t{a} << 32U) | b, static_cast<std::uint32_t>(map.size())).first->second;
}

std::uint32_t Collector::stream_of(const EventFields& fields) {
  std::string_view device = fields.device;
  if (device.empty()) {  // the process of a device row is the device, where it is a number
    ++records_.counts.without_device;
    if (integer(fields.process)) device = fields.process;
  }
  std::string_view stream = fields.stream.empty() ? fields.thread : fields.stream;
  if (stream.starts_with("stream ")) stream.remove_prefix(std::string_view("stream ").size());
  if (last_stream_.is(device, stream)) return last_stream_.index;
  const StreamRecord record{records_.strings.intern(device), records_.strings.intern(stream)};
  const std::uint32_t index = pair_index(streams_, record.gpu, record.name);
  if (index == records_.streams.size()) records_.streams.push_back(record);
  last_stream_ = {std::string(device), std::string(stream), index};
  return index;
}

void Collector::note_process_group(StreamRecord& stream, std::string_view ranks) {
  const std::uint32_t group = records_.strings.intern(ranks);
  if (stream.process_group != group) stream.process_group = stream.process_group == 0 ? group : run::none;
}

std::uint32_t Collector::thread_of(const EventFields& fields) {
  if (last_thread_.is(fields.process, fields.thread)) return last_thread_.index;
  const std::uint32_t index =
      pair_index(threads_, records_.strings.intern(fields.process), records_.strings.intern(fields.thread));
  records_.threads = static_cast<std::uint32_t>(threads_.size());
  last_thread_ = {std::string(fields.process), std::string(fields.thread), index};
  return index;
}

void Collector::add_call(const EventFields& fields) {
  if (records_a_graph(fields.name)) ++records_.counts.capture_calls;
  const std::int64_t correlation = id_of(fields.correlation);
  if (correlation == no_id) return;
  const auto times = host_times(fields);
  if (!times) return;
  push(records_.calls, HostCall{times->start, times->start + times->duration, correlation, thread_of(fields),
                                records_.strings.intern(fields.name)});
}

void Collector::add_operation(const EventFields& fields) {
  const auto times = host_times(fields);
  if (!times) return;
  HostOperation operation;
  operation.start = times->start;
  operation.end = times->start + times->duration;
  operation.external_id = id_of(fields.external_id);
  operation.sequence = integer(fields.sequence).value_or(-1);
  operation.thread = thread_of(fields);
  operation.name = records_.strings.intern(fields.name);
  operation.shapes = records_.strings.intern(fields.input_shapes);
  operation.types = records_.strings.intern(fields.input_types);
  push(records_.operations, operation);
}

void Collector::add_span(SpanKind kind, const EventFields& fields) {
  const auto times = host_times(fields);
  if (!times) return;
  push(records_.spans, HostSpan{times->start, times->start + times->duration, id_of(fields.external_id),
                                thread_of(fields), records_.strings.intern(fields.name), kind});
}

}  // namespace kernwatt::readers::kineto
