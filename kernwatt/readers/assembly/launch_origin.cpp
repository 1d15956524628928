// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/launch_origin.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers::assembly {
namespace {

/// Finds the host call of a correlation id. The ids of one process are nearly consecutive, so a plain table does;
/// scattered ones are sorted.
class CallIndex {
 public:
  explicit CallIndex(const std::vector<HostCall>& calls) {
    if (calls.empty()) return;
    const auto [low, high] = std::minmax_element(
        calls.begin(), calls.end(), [](const HostCall& a, const HostCall& b) { return a.correlation < b.correlation; });
    lowest_ = low->correlation;
    const std::uint64_t range = static_cast<std::uint64_t>(high->correlation) - static_cast<std::uint64_t>(lowest_);
    constexpr std::uint64_t sparse = 16;
    if (range < calls.size() * sparse + 1024) {
      table_.assign(static_cast<std::size_t>(range) + 1, run::none);
      for (std::uint32_t i = 0; i < calls.size(); ++i) {
        std::uint32_t& slot = table_[offset(calls[i].correlation)];
        if (slot == run::none) slot = i;
      }
      return;
    }
    sorted_.reserve(calls.size());
    for (std::uint32_t i = 0; i < calls.size(); ++i) sorted_.emplace_back(calls[i].correlation, i);
    std::sort(sorted_.begin(), sorted_.end());
  }

  std::uint32_t find(std::int64_t correlation) const {
    if (correlation == no_id) return run::none;
    if (!table_.empty()) {
      return correlation >= lowest_ && offset(correlation) < table_.size() ? table_[offset(correlation)] : run::none;
    }
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(correlation, std::uint32_t{0}));
    return found != sorted_.end() && found->first == correlation ? found->second : run::none;
  }

 private:
  std::size_t offset(std::int64_t correlation) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(correlation) - static_cast<std::uint64_t>(lowest_));
  }
  std::int64_t lowest_ = 0;
  std::vector<std::uint32_t> table_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted_;
};

enum class CallKind : std::uint8_t { other, kernel_launch, graph_launch };

CallKind call_kind(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("GraphLaunch")) return CallKind::graph_launch;
  const bool kernel = has("LaunchKernel") || has("LaunchCooperativeKernel") || name == "cudaLaunch";
  return kernel ? CallKind::kernel_launch : CallKind::other;
}

struct OrphanKey {
  std::int64_t correlation = no_id;
  std::int64_t external_id = no_id;
  std::uint32_t graph = 0;
  bool operator==(const OrphanKey&) const = default;
};
struct OrphanKeyHash {
  std::size_t operator()(const OrphanKey& key) const {
    const auto a = static_cast<std::uint64_t>(key.correlation) * 0x9e37'79b9'7f4a'7c15U;
    const auto b = static_cast<std::uint64_t>(key.external_id) * 0xc2b2'ae3d'27d4'eb4fU;
    return static_cast<std::size_t>((a ^ (b >> 7U)) ^ ((a ^ b) >> 32U)) + key.graph;
  }
};

class OriginFinder {
 public:
  explicit OriginFinder(const Records& records) : records_(records) {}

  LaunchOrigins run() {
    find_call_kinds();
    join_with_calls();
    join_orphans();
    number_graphs();
    count_calls_without_kernel();
    return std::move(result_);
  }

 private:
  /// Of an origin, while it is made.
  struct Work {
    std::uint32_t call = run::none;
    std::int64_t correlation = no_id;
    std::uint32_t graph_text = 0;
    std::uint32_t kernels = 0;
    std::uint64_t hash = 0;  // of the sequence of classes
    bool graph = false;
  };

  bool is_kernel(const DeviceEvent& event) const {
    return records_.classes[event.kernel_class].kind == run::LaunchKind::kernel;
  }

  void find_call_kinds() {
    kinds_.resize(records_.strings.size());
    for (std::uint32_t id = 0; id < kinds_.size(); ++id) kinds_[id] = call_kind(records_.strings.at(id));
  }

  std::uint32_t add_origin(Origin origin, Work work) {
    result_.origins.push_back(origin);
    work_.push_back(work);
    return static_cast<std::uint32_t>(work_.size() - 1);
  }

  void note_event(std::uint32_t origin, const DeviceEvent& event) {
    Work& work = work_[origin];
    if (is_kernel(event)) ++work.kernels;
    work.hash = (work.hash ^ event.kernel_class) * 0x9e37'79b9'7f4a'7c15U;
    work.hash ^= work.hash >> 32U;
    work.graph = work.graph || event.graph_node;
    if (work.graph_text == 0) work.graph_text = event.graph;
  }

  void join_with_calls() {
    const CallIndex calls(records_.calls);
    origin_of_call_.assign(records_.calls.size(), run::none);
    result_.of_event.assign(records_.device.size(), run::none);
    for (std::uint32_t i = 0; i < records_.device.size(); ++i) {
      const DeviceEvent& event = records_.device[i];
      result_.counts.kernels += is_kernel(event) ? 1 : 0;
      const std::uint32_t index = calls.find(event.correlation);
      if (index == run::none) continue;
      const HostCall& call = records_.calls[index];
      std::uint32_t& origin = origin_of_call_[index];
      if (origin == run::none) {
        const bool graph = kinds_[call.name] == CallKind::graph_launch;
        origin = add_origin({{call.start, call.thread, run::none}, true, std::nullopt},
                            {index, call.correlation, 0, 0, 0, graph});
      }
      result_.of_event[i] = origin;
      if (event.start < call.start) ++result_.counts.before_call;
      note_event(origin, event);
    }
  }

  /// Device events without a call. Those that share a correlation came from one graph.
  void join_orphans() {
    std::unordered_map<OrphanKey, std::uint32_t, OrphanKeyHash> origins;
    std::unordered_map<std::int64_t, std::vector<std::uint32_t>> by_external_id;
    for (std::uint32_t i = 0; i < records_.device.size(); ++i) {
      const DeviceEvent& event = records_.device[i];
      if (result_.of_event[i] != run::none) continue;
      result_.counts.kernels_without_call += is_kernel(event) ? 1 : 0;
      if (event.correlation == no_id && event.external_id == no_id && event.graph == 0) continue;
      const auto [found, is_new] = origins.try_emplace(OrphanKey{event.correlation, event.external_id, event.graph}, 0);
      if (is_new) {
        found->second = add_origin({}, {run::none, event.correlation, 0, 0, 0, false});
        if (event.external_id != no_id && event.external_id != 0) {
          by_external_id[event.external_id].push_back(found->second);
        }
      }
      result_.of_event[i] = found->second;
      note_event(found->second, event);
    }
    if (by_external_id.empty()) return;
    find_moments(by_external_id);
  }

  void find_moments(const std::unordered_map<std::int64_t, std::vector<std::uint32_t>>& wanted) {
    const auto set = [&](std::int64_t id, const HostMoment& moment) {
      const auto found = wanted.find(id);
      if (found == wanted.end()) return;
      for (const std::uint32_t index : found->second) {
        Origin& origin = result_.origins[index];
        if (origin.has_moment) continue;
        origin.moment = moment;
        origin.has_moment = true;
        result_.counts.found_by_external_id += work_[index].kernels;
      }
    };
    for (std::uint32_t i = 0; i < records_.operations.size(); ++i) {
      const HostOperation& operation = records_.operations[i];
      set(operation.external_id, {operation.start, operation.thread, i});
    }
    for (const HostSpan& span : records_.spans) set(span.external_id, {span.start, span.thread, run::none});
  }

  /// Replays of one graph run the same classes in the same order; the first replay's correlation is its number,
  /// unless the trace has a number of its own.
  void number_graphs() {
    std::unordered_map<std::uint64_t, std::int64_t> first;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      Work& work = work_[i];
      if (work.call == run::none && work.kernels > 1 && work.correlation != no_id) work.graph = true;
      if (!work.graph) continue;
      ++result_.counts.graph_launches;
      result_.counts.graph_kernels += work.kernels;
      const auto own = work.graph_text != 0 ? parse_int64(records_.strings.at(work.graph_text)) : std::nullopt;
      result_.origins[i].graph = own ? *own : first.try_emplace(work.hash, work.correlation).first->second;
    }
  }

  /// A runtime call around a driver call that has the kernel is the same launch, not a lost one.
  void count_calls_without_kernel() {
    using Moment = std::pair<std::uint32_t, std::int64_t>;
    std::vector<Moment> served;
    for (std::uint32_t i = 0; i < records_.calls.size(); ++i) {
      const std::uint32_t origin = origin_of_call_[i];
      if (origin != run::none) served.emplace_back(records_.calls[i].thread, records_.calls[i].start);
    }
    std::sort(served.begin(), served.end());
    OriginCounts& counts = result_.counts;
    for (std::uint32_t i = 0; i < records_.calls.size(); ++i) {
      const HostCall& call = records_.calls[i];
      if (kinds_[call.name] == CallKind::other) continue;
      if (origin_of_call_[i] == run::none) {
        const auto inner = std::lower_bound(served.begin(), served.end(), Moment{call.thread, call.start});
        if (inner != served.end() && inner->first == call.thread && inner->second <= call.end) continue;
        if (counts.launch_calls_without_kernel++ == 0) counts.first_without_kernel = records_.strings.at(call.name);
      }
      ++counts.launch_calls;
    }
  }

  const Records& records_;
  std::vector<CallKind> kinds_;                // by string
  std::vector<std::uint32_t> origin_of_call_;  // by host call
  std::vector<Work> work_;
  LaunchOrigins result_;
};

}  // namespace

bool records_a_graph(std::string_view call) {
  return call.find("StreamBeginCapture") != std::string_view::npos ||
         call.find("GraphInstantiate") != std::string_view::npos;
}

LaunchOrigins find_origins(const Records& records) { return OriginFinder(records).run(); }

}  // namespace kernwatt::readers::assembly
