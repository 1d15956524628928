// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/completion.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernwatt::readers::nsys {
namespace {

using assembly::no_id;

class Completion {
 public:
  Completion(const EventTables& events, const GpuTable& gpus, assembly::Records& records)
      : events_(events), keys_(events.keys()), gpus_(gpus), records_(records) {}

  CompletionFacts run() {
    facts_.processes = keys_.process_count();
    if (keys_.process_count() > 1) records_.process_of_thread = keys_.process_of_thread();
    make_streams();
    make_correlations_unique();
    close_open_ranges();
    choose_iteration_marks();
    return facts_;
  }

 private:
  /// A file with one process needs not say which one its kernels are of.
  std::uint32_t process_of(const StreamKey& key) const {
    return key.process == run::none && keys_.process_count() == 1 ? 0 : key.process;
  }

  void make_streams();
  std::uint32_t gpu_of(std::uint32_t process, std::int64_t device);
  void make_correlations_unique();
  void close_open_ranges();
  void choose_iteration_marks();

  const EventTables& events_;
  const EventKeys& keys_;
  const GpuTable& gpus_;
  assembly::Records& records_;
  CompletionFacts facts_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> gpu_of_device_;
  std::map<std::int64_t, std::uint32_t> gpu_of_id_;
  std::map<std::int64_t, std::uint32_t> gpu_of_number_;
};

void Completion::make_streams() {
  for (const StreamKey& key : keys_.streams()) {
    const std::string name = key.stream == no_id ? std::string() : std::to_string(key.stream);
    records_.streams.push_back({gpu_of(process_of(key), key.device), records_.strings.intern(name)});
  }
}

std::uint32_t Completion::gpu_of(std::uint32_t process, std::int64_t device) {
  const auto known = gpu_of_device_.find({process, device});
  if (known != gpu_of_device_.end()) return known->second;
  const auto pid = process == run::none ? std::nullopt : std::optional(keys_.pid(process));
  GpuTable::Found found = device == no_id ? GpuTable::Found{} : gpus_.find(pid, device);
  const auto next = static_cast<std::uint32_t>(records_.gpus.size());
  // Two processes may count one GPU by two numbers; a device that nothing is known of is told by its number alone.
  const auto [gpu, is_new] =
      found.id ? gpu_of_id_.try_emplace(*found.id, next) : gpu_of_number_.try_emplace(device, next);
  if (is_new) {
    records_.gpus.push_back(std::move(found.gpu));
    facts_.gpus_by_number += found.match == GpuMatch::by_number ? 1 : 0;
    facts_.gpus_unknown += found.match == GpuMatch::unknown ? 1 : 0;
  } else if (found.match != GpuMatch::by_process) {
    ++facts_.shared_numbers;
  }
  gpu_of_device_.emplace(std::pair(process, device), gpu->second);
  return gpu->second;
}

/// Each process counts its launches from 1; in one file they get ranges of numbers that do not touch.
void Completion::make_correlations_unique() {
  const std::uint32_t processes = keys_.process_count();
  if (processes <= 1) return;
  constexpr std::int64_t most = std::int64_t{1} << 40U;  // CUPTI's ids have 32 bits
  struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = -1;
    std::int64_t shift = 0;
  };
  std::vector<Range> ranges(processes);
  const auto for_each_id = [&](auto visit) {
    for (assembly::DeviceEvent& event : records_.device)
      visit(keys_.streams()[event.stream].process, event.correlation);
    for (assembly::HostCall& call : records_.calls) visit(keys_.process_of_thread()[call.thread], call.correlation);
  };
  for_each_id([&](std::uint32_t process, std::int64_t& id) {
    if (process == run::none && id != no_id) ++facts_.events_of_nobody;
    if (process == run::none || id < 0 || id >= most) {
      id = no_id;
      return;
    }
    ranges[process].low = std::min(ranges[process].low, id);
    ranges[process].high = std::max(ranges[process].high, id);
  });
  std::int64_t next = 1;
  for (Range& range : ranges) {
    if (range.high < range.low) continue;
    range.shift = next - range.low;
    next += range.high - range.low + 1;
  }
  for_each_id([&](std::uint32_t process, std::int64_t& id) {
    if (id != no_id) id += ranges[process].shift;
  });
}

/// A range that was never closed lasts as long as the recording.
void Completion::close_open_ranges() {
  if (events_.facts().open_ranges == 0) return;
  constexpr std::int64_t open = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = events_.facts().device_time ? events_.facts().device_time->last : 0;
  for (const auto& call : records_.calls) last = std::max(last, call.end);
  for (const auto& span : records_.spans) last = std::max(last, span.end == open ? span.start : span.end);
  for (const auto& operation : records_.operations) {
    last = std::max(last, operation.end == open ? operation.start : operation.end);
  }
  for (auto& span : records_.spans) span.end = std::min(span.end, last);
  for (auto& operation : records_.operations) operation.end = std::min(operation.end, last);
}

/// PyTorch's own marks, else the ranges of one thread that count by one name: those that cover most time, since steps
/// may lie within iterations. Marks of a second process would count each iteration twice.
void Completion::choose_iteration_marks() {
  using Choice = std::pair<std::uint32_t, std::uint32_t>;  // thread and family
  constexpr std::uint32_t profiler_step = run::none;
  const auto duration = [this](std::uint32_t span) {
    return static_cast<double>(records_.spans[span].end) - static_cast<double>(records_.spans[span].start) + 1;
  };
  std::map<Choice, std::vector<std::uint32_t>> spans;
  for (std::uint32_t i = 0; i < records_.spans.size(); ++i) {
    if (records_.spans[i].kind == assembly::SpanKind::iteration) {
      spans[{records_.spans[i].thread, profiler_step}].push_back(i);
    }
  }
  if (spans.empty()) {
    for (const auto& candidate : events_.candidates()) {
      spans[{records_.spans[candidate.span].thread, candidate.family}].push_back(candidate.span);
    }
  }
  const std::vector<std::uint32_t>* best = nullptr;
  std::pair<bool, double> most{false, -1.0};
  for (const auto& [choice, members] : spans) {
    double sum = 0;
    for (const std::uint32_t span : members) sum += duration(span);
    const std::pair<bool, double> worth{members.size() > 1, sum};
    if (worth <= most) continue;
    most = worth;
    best = &members;
  }
  for (const auto& [choice, members] : spans) {
    const bool chosen = &members == best;
    if (!chosen && choice.second == profiler_step) facts_.marks_left_out += members.size();
    for (const std::uint32_t span : members) {
      records_.spans[span].kind = chosen ? assembly::SpanKind::iteration : assembly::SpanKind::annotation;
    }
  }
}

}  // namespace

CompletionFacts complete(const EventTables& events, const GpuTable& gpus, assembly::Records& records) {
  return Completion(events, gpus, records).run();
}

}  // namespace kernwatt::readers::nsys
