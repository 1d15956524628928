// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/trace_assembler.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace kernwatt::readers::assembly {
namespace {

constexpr std::int64_t epoch_like_ns = 900'000'000'000'000'000;  // 1998; relative times are far below

/// Without white space, and other control characters, outside strings.
std::string compact_json(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (const char byte : text) {
    if (byte == '"') in_string = !in_string;
    const bool space = static_cast<unsigned char>(byte) <= ' ' || byte == 0x7f;
    if (in_string || !space) out += byte;
  }
  return out;
}

struct SiteKey {
  std::uint32_t op = 0;
  std::uint32_t outer = 0;
  std::uint32_t shapes = 0;
  std::uint32_t types = 0;
  std::uint32_t path = 0;
  bool backward = false;
  std::optional<std::int64_t> graph;
  bool operator==(const SiteKey&) const = default;
};
struct SiteKeyHash {
  std::size_t operator()(const SiteKey& key) const {
    std::uint64_t hash = key.backward ? 1 : 0;
    const auto mix = [&hash](std::uint64_t value) {
      hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15U;
      hash ^= hash >> 29U;
    };
    mix((std::uint64_t{key.op} << 32U) | key.outer);
    mix((std::uint64_t{key.shapes} << 32U) | key.types);
    mix(key.path);
    mix(static_cast<std::uint64_t>(key.graph.value_or(0)));
    return static_cast<std::size_t>(hash);
  }
};

class Assembler {
 public:
  Assembler(Records& records, run::Trace& trace)
      : records_(records), trace_(trace), published_(records.strings.size(), run::none) {}

  AssemblyFacts run() {
    choose_time_base();
    sort_device_events();
    const LaunchOrigins origins = find_origins(records_);
    facts_.origins = origins.counts;
    make_calls(origins);
    make_ranges();
    std::vector<HostOperation>().swap(records_.operations);  // the largest column, before the launches are made
    std::vector<HostCall>().swap(records_.calls);
    make_streams();
    make_classes();
    make_launches(origins);
    facts_.ranges_left_out = paths_.left_out();
    return facts_;
  }

 private:
  run::NameId publish(std::uint32_t string) {
    run::NameId& id = published_[string];
    if (id == run::none) id = trace_.names.intern(records_.strings.at(string));
    return id;
  }
  run::NameId publish_json(std::uint32_t string) {
    if (string == 0) return run::none;
    const auto [found, is_new] = compacted_.try_emplace(string, run::none);
    if (is_new) found->second = trace_.names.intern(compact_json(records_.strings.at(string)));
    return found->second;
  }

  void choose_time_base();
  void sort_device_events();
  void make_calls(const LaunchOrigins& origins);
  std::uint32_t site_of(const HostContext& context, const Origin& origin);
  void make_ranges();
  void make_streams();
  void make_classes();
  void make_launches(const LaunchOrigins& origins);
  std::uint32_t iteration_at(std::int64_t time) const;

  Records& records_;
  run::Trace& trace_;
  AssemblyFacts facts_;
  std::int64_t base_ = 0;
  RangePaths paths_;
  std::vector<run::NameId> published_;
  std::unordered_map<std::uint32_t, run::NameId> compacted_;
  std::unordered_map<SiteKey, std::uint32_t, SiteKeyHash> sites_;
  std::vector<std::uint32_t> call_of_origin_;
};

void Assembler::choose_time_base() {
  const bool have_device = !records_.device.empty();
  const bool have_host = !records_.operations.empty();
  const std::int64_t sample = have_device ? records_.device.back().start
                              : have_host ? records_.operations.back().start
                                          : 0;
  const bool epoch = sample > epoch_like_ns;
  const bool base = records_.base_time_ns.has_value() && *records_.base_time_ns > 0;
  if (epoch) {
    facts_.time_base = base ? TimeBase::base_ignored : TimeBase::epoch;
  } else if (base) {
    facts_.time_base = TimeBase::base_added;
    base_ = *records_.base_time_ns;
  }
  trace_.time_is_absolute = facts_.time_base != TimeBase::relative;
  // A time that cannot be shifted is as unreadable as one that is no number.
  const auto too_late = [this](const DeviceEvent& event) {
    std::int64_t end = 0;
    if (!__builtin_add_overflow(event.start + event.duration, base_, &end)) return false;
    records_.counts.unreadable_times.add(records_.strings.at(records_.classes[event.kernel_class].name));
    return true;
  };
  if (base_ > 0) std::erase_if(records_.device, too_late);
  const auto out_of_range = [this](const auto& item) {
    return item.end > std::numeric_limits<std::int64_t>::max() - base_;
  };
  if (base_ > 0) records_.counts.unreadable_host_times += std::erase_if(records_.spans, out_of_range);
}

/// By start, then by end; exact copies out. Two real launches are never copies: they differ in correlation, or,
/// where the trace has none, in their nanoseconds.
void Assembler::sort_device_events() {
  const auto key = [](const DeviceEvent& e) {
    return std::tuple(e.start, e.duration, e.stream, e.correlation, e.kernel_class, e.external_id);
  };
  const auto before = [&key](const DeviceEvent& a, const DeviceEvent& b) { return key(a) < key(b); };
  auto& events = records_.device;
  for (std::size_t i = 1; i < events.size(); ++i) facts_.out_of_order += events[i].start < events[i - 1].start ? 1 : 0;
  if (!std::is_sorted(events.begin(), events.end(), before)) std::sort(events.begin(), events.end(), before);
  const auto is_copy = [&key](const DeviceEvent& a, const DeviceEvent& b) {
    const bool certain = a.correlation != no_id || (a.duration > 0 && a.start % 1000 != 0);
    return certain && key(a) == key(b);
  };
  const auto end = std::unique(events.begin(), events.end(), is_copy);
  facts_.duplicates = static_cast<std::uint64_t>(events.end() - end);
  events.erase(end, events.end());
  if (!records_.profiler_window) return;
  const auto [first, last] = *records_.profiler_window;
  for (const DeviceEvent& event : events) {
    facts_.outside_window += event.start + event.duration < first || event.start > last ? 1 : 0;
  }
}

std::uint32_t Assembler::site_of(const HostContext& context, const Origin& origin) {
  SiteKey key;
  key.path = context.path;
  key.backward = context.backward;
  key.graph = origin.graph;
  const bool inside = context.operation != run::none;
  if (inside) {
    const HostOperation& operation = records_.operations[context.operation];
    key.op = operation.name;
    key.outer = records_.operations[context.outermost].name;
    key.shapes = operation.shapes;
    key.types = operation.types;
  }
  const auto [found, is_new] = sites_.try_emplace(key, static_cast<std::uint32_t>(trace_.sites.size()));
  if (!is_new) return found->second;
  run::Site site;
  if (inside) {
    site.op = publish(key.op);
    site.outer_op = publish(key.outer);
    site.shapes = publish_json(key.shapes);
    site.types = publish_json(key.types);
  }
  for (const std::uint32_t name : paths_.names(key.path)) site.ranges.push_back(publish(name));
  site.on_backward_thread = key.backward;
  site.graph = key.graph;
  trace_.sites.push_back(std::move(site));
  return found->second;
}

void Assembler::make_calls(const LaunchOrigins& origins) {
  std::vector<HostMoment> moments;
  std::vector<std::uint32_t> order;  // origins that become calls
  for (std::uint32_t i = 0; i < origins.origins.size(); ++i) {
    const Origin& origin = origins.origins[i];
    if (!origin.has_moment && !origin.graph) continue;
    order.push_back(i);
  }
  std::vector<std::uint32_t> moment_of(origins.origins.size(), run::none);
  for (const std::uint32_t i : order) {
    if (!origins.origins[i].has_moment) continue;
    moment_of[i] = static_cast<std::uint32_t>(moments.size());
    moments.push_back(origins.origins[i].moment);
  }
  const std::vector<HostContext> contexts = find_contexts(records_, moments, paths_);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return origins.origins[a].moment.time < origins.origins[b].moment.time;
  });
  call_of_origin_.assign(origins.origins.size(), run::none);
  std::unordered_map<std::uint64_t, std::uint32_t> call_of_operation;
  for (const std::uint32_t i : order) {
    const HostContext context = moment_of[i] == run::none ? HostContext{} : contexts[moment_of[i]];
    const std::uint32_t site = site_of(context, origins.origins[i]);
    const auto next = static_cast<std::uint32_t>(trace_.calls.size());
    std::uint32_t call = next;
    if (context.operation != run::none) {
      const std::uint64_t key = (std::uint64_t{context.operation} << 32U) | site;
      call = call_of_operation.try_emplace(key, next).first->second;
    }
    if (call == next) trace_.calls.push_back({site, context.sequence});
    call_of_origin_[i] = call;
  }
}

void Assembler::make_ranges() {
  for (const HostSpan& span : records_.spans) {
    if (span.kind == SpanKind::module) continue;
    auto& ranges = span.kind == SpanKind::iteration ? trace_.iteration_marks : trace_.host_ranges;
    ranges.push_back({publish(span.name), base_ + span.start, base_ + span.end});
  }
  const auto key = [](const run::HostRange& r) { return std::tuple(r.start_ns, -r.end_ns, r.name); };
  const auto before = [&key](const run::HostRange& a, const run::HostRange& b) { return key(a) < key(b); };
  std::stable_sort(trace_.host_ranges.begin(), trace_.host_ranges.end(), before);
  auto& marks = trace_.iteration_marks;
  std::stable_sort(marks.begin(), marks.end(), before);
  const auto same = [&key](const run::HostRange& a, const run::HostRange& b) { return key(a) == key(b); };
  marks.erase(std::unique(marks.begin(), marks.end(), same), marks.end());
}

void Assembler::make_streams() {
  trace_.gpus = std::move(records_.gpus);
  trace_.streams.reserve(records_.streams.size());
  for (const StreamRecord& record : records_.streams) {
    const bool one_group = record.process_group != 0 && record.process_group != run::none;
    trace_.streams.push_back({record.gpu, publish(record.name), one_group ? publish(record.process_group) : run::none});
  }
}

void Assembler::make_classes() {
  trace_.classes.reserve(records_.classes.size());
  for (const ClassRecord& record : records_.classes) {
    trace_.classes.push_back(
        {publish(record.name), record.kind, record.grid, record.block, record.registers, record.shared_memory});
  }
}

std::uint32_t Assembler::iteration_at(std::int64_t time) const {
  const auto& marks = trace_.iteration_marks;
  const auto after = std::upper_bound(marks.begin(), marks.end(), time,
                                      [](std::int64_t t, const run::HostRange& mark) { return t < mark.start_ns; });
  constexpr std::ptrdiff_t farthest = 16;  // marks of several threads overlap
  for (auto mark = after; mark != marks.begin() && after - mark < farthest;) {
    --mark;
    if (time <= mark->end_ns) return static_cast<std::uint32_t>(mark - marks.begin());
  }
  return run::none;
}

void Assembler::make_launches(const LaunchOrigins& origins) {
  std::vector<std::uint32_t> iteration_of(origins.origins.size(), run::none);
  for (std::size_t i = 0; i < iteration_of.size(); ++i) {
    const Origin& origin = origins.origins[i];
    if (origin.has_moment) iteration_of[i] = iteration_at(base_ + origin.moment.time);
  }
  trace_.launches.reserve(records_.device.size());
  for (std::size_t i = 0; i < records_.device.size(); ++i) {
    const DeviceEvent& event = records_.device[i];
    const std::uint32_t origin = origins.of_event[i];
    run::Launch launch{base_ + event.start, event.duration, event.kernel_class, event.stream, run::none, run::none};
    if (origin != run::none) {
      launch.call = call_of_origin_[origin];
      launch.iteration = iteration_of[origin];
    }
    trace_.launches.push_back(launch);
  }
}

}  // namespace

AssemblyFacts assemble(Records& records, run::Trace& trace) { return Assembler(records, trace).run(); }

}  // namespace kernwatt::readers::assembly
