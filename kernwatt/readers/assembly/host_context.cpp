// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/host_context.hpp"

#include <algorithm>
#include <limits>

namespace kernwatt::readers::assembly {

std::uint32_t RangePaths::child(std::uint32_t parent, std::uint32_t name) {
  constexpr std::uint32_t deepest = 200;
  constexpr std::size_t most_paths = 8'000'000;
  const std::uint32_t depth = nodes_[parent].depth + 1;
  if (depth > deepest || nodes_.size() > most_paths) {
    ++left_out_;
    return parent;
  }
  const auto [found, is_new] =
      children_.try_emplace((std::uint64_t{parent} << 32U) | name, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({parent, name, depth});
  return found->second;
}

std::vector<std::uint32_t> RangePaths::names(std::uint32_t path) const {
  std::vector<std::uint32_t> result(nodes_[path].depth);
  for (std::size_t i = result.size(); i > 0; path = nodes_[path].parent) result[--i] = nodes_[path].name;
  return result;
}

namespace {

using Indices = std::vector<std::uint32_t>;

/// Indices of the items of each thread, in the order of the file.
template <class Item, class Wanted>
std::vector<Indices> by_thread(const std::vector<Item>& items, std::uint32_t threads, Wanted wanted) {
  std::vector<Indices> result(threads);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (wanted(items[i])) result[items[i].thread].push_back(i);
  }
  return result;
}

/// Outer ranges before the ranges that they enclose. Profilers mostly write them so.
template <class Item>
void sort_nested(Indices& indices, const std::vector<Item>& items) {
  const auto before = [&items](std::uint32_t a, std::uint32_t b) {
    if (items[a].start != items[b].start) return items[a].start < items[b].start;
    return items[a].end != items[b].end ? items[a].end > items[b].end : a < b;
  };
  if (!std::is_sorted(indices.begin(), indices.end(), before)) std::sort(indices.begin(), indices.end(), before);
}

/// The operations that are open at a moment that moves forward.
class OpenOperations {
 public:
  OpenOperations(const Records& records, const std::vector<bool>& is_backward, const Indices& order)
      : records_(records), is_backward_(is_backward), order_(order) {}

  void describe(const HostMoment& moment, HostContext& context) {
    for (; next_ < order_.size() && records_.operations[order_[next_]].start <= moment.time; ++next_) {
      push(order_[next_]);
    }
    close_before(moment.time);
    if (open_.empty()) return;
    const Open& top = moment.operation == run::none ? open_.back() : find(moment.operation);
    context.operation = top.operation;
    context.outermost = open_.front().operation;
    context.sequence = top.sequence;
    context.backward = top.backward;
  }

 private:
  struct Open {
    std::uint32_t operation = run::none;
    std::int64_t end = 0;
    std::int64_t sequence = -1;
    bool backward = false;
  };
  void close_before(std::int64_t time) {
    while (!open_.empty() && open_.back().end < time) open_.pop_back();
  }
  void push(std::uint32_t index) {
    const HostOperation& operation = records_.operations[index];
    close_before(operation.start);
    Open open{index, operation.end, operation.sequence, is_backward_[operation.name]};
    if (!open_.empty()) {
      const Open& parent = open_.back();
      open.end = std::min(open.end, parent.end);  // rounded times: a child may seem to outlive its parent
      if (open.sequence < 0) open.sequence = parent.sequence;
      open.backward = open.backward || parent.backward;
    }
    open_.push_back(open);
  }
  const Open& find(std::uint32_t operation) const {
    constexpr std::size_t farthest = 64;
    for (std::size_t i = open_.size(); i > 0 && open_.size() - i < farthest; --i) {
      if (open_[i - 1].operation == operation) return open_[i - 1];
    }
    return open_.back();
  }

  const Records& records_;
  const std::vector<bool>& is_backward_;
  const Indices& order_;
  std::size_t next_ = 0;
  std::vector<Open> open_;
};

/// The ranges that are open at a moment that moves forward, as a path, in the order in which they began. Ranges need
/// not be nested: those that began and ended on different threads, or in different domains, cross.
class OpenSpans {
 public:
  OpenSpans(const Records& records, RangePaths& paths, const Indices& order)
      : records_(records), paths_(paths), order_(order) {}

  std::uint32_t path_at(std::int64_t time, std::uint32_t below) {
    for (; next_ < order_.size() && records_.spans[order_[next_]].start <= time; ++next_) {
      const HostSpan& span = records_.spans[order_[next_]];
      close_before(span.start);
      push(span);
    }
    close_before(time);
    if (below != below_) {
      below_ = below;
      for (Open& open : open_) open.path = run::none;
    }
    std::size_t known = open_.size();
    while (known > 0 && open_[known - 1].path == run::none) --known;
    std::uint32_t path = known > 0 ? open_[known - 1].path : below_;
    for (; known < open_.size(); ++known) path = open_[known].path = paths_.child(path, open_[known].name);
    return path;
  }

 private:
  struct Open {
    std::uint32_t name = 0;
    std::int64_t end = 0;
    std::uint32_t path = run::none;  // made when first asked for
  };
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  void push(const HostSpan& span) {
    constexpr std::size_t most_open = 512;  // far more than a path is deep: each one costs at every end of another
    if (open_.size() >= most_open) return;
    std::int64_t end = span.end;
    if (!open_.empty() && end > open_.back().end && end - open_.back().end < records_.rounding_ns)
      end = open_.back().end;
    open_.push_back({span.name, end, run::none});
    earliest_end_ = std::min(earliest_end_, end);
  }
  void close_before(std::int64_t time) {
    if (earliest_end_ >= time) return;
    while (!open_.empty() && open_.back().end < time) open_.pop_back();
    earliest_end_ = never;
    std::size_t kept = 0;
    for (Open& open : open_) {
      if (open.end < time) continue;
      earliest_end_ = std::min(earliest_end_, open.end);
      if (&open != &open_[kept]) open.path = run::none;  // one below it ended
      open_[kept++] = open;
    }
    open_.resize(kept);
  }

  const Records& records_;
  RangePaths& paths_;
  const Indices& order_;
  std::size_t next_ = 0;
  std::uint32_t below_ = 0;
  std::int64_t earliest_end_ = never;
  std::vector<Open> open_;
};

std::vector<bool> find_backward_names(const StringPool& strings) {
  std::vector<bool> result(strings.size());
  for (std::uint32_t id = 0; id < strings.size(); ++id) {
    result[id] = strings.at(id).starts_with("autograd::engine::evaluate_function");
  }
  return result;
}

class ContextFinder {
 public:
  ContextFinder(const Records& records, const std::vector<HostMoment>& moments, RangePaths& paths)
      : records_(records), moments_(moments), paths_(paths), is_backward_(find_backward_names(records.strings)) {}

  std::vector<HostContext> run() {
    contexts_.resize(moments_.size());
    describe_operations();
    divide_processes();
    std::vector<std::uint32_t> below = find_paths_of_processes();
    const auto spans = by_thread(records_.spans, records_.threads, [](const HostSpan& span) {
      return span.kind != SpanKind::iteration && span.reach == SpanReach::thread;
    });
    for (std::uint32_t thread = 0; thread < records_.threads; ++thread) {
      if (moments_of_[thread].empty()) continue;
      Indices order = spans[thread];
      sort_nested(order, records_.spans);
      OpenSpans own(records_, paths_, order);
      for (const std::uint32_t index : moments_of_[thread]) {
        contexts_[index].path = own.path_at(moments_[index].time, below.empty() ? 0 : below[index]);
      }
    }
    return std::move(contexts_);
  }

 private:
  /// What concerns all threads of a process: its ranges across threads, and the annotations of its main thread, which
  /// autograd's threads work for.
  struct Process {
    std::uint32_t main_thread = run::none;
    std::uint64_t most_annotations = 0;
    Indices across;
    Indices of_main;
    bool needed = false;
  };

  std::uint32_t process_of(std::uint32_t thread) const {
    return records_.process_of_thread.empty() ? 0 : records_.process_of_thread[thread];
  }

  void describe_operations() {
    const auto operations = by_thread(records_.operations, records_.threads, [](const HostOperation&) { return true; });
    moments_of_ = by_thread(moments_, records_.threads, [](const HostMoment&) { return true; });
    for (std::uint32_t thread = 0; thread < records_.threads; ++thread) {
      Indices& moments = moments_of_[thread];
      if (moments.empty()) continue;
      Indices order = operations[thread];
      sort_nested(order, records_.operations);
      std::stable_sort(moments.begin(), moments.end(),
                       [this](std::uint32_t a, std::uint32_t b) { return moments_[a].time < moments_[b].time; });
      OpenOperations open(records_, is_backward_, order);
      for (const std::uint32_t index : moments) open.describe(moments_[index], contexts_[index]);
    }
  }

  void divide_processes() {
    std::vector<std::uint64_t> annotations(records_.threads);
    for (const HostSpan& span : records_.spans) annotations[span.thread] += span.kind == SpanKind::module ? 0 : 1;
    for (std::uint32_t thread = 0; thread < records_.threads; ++thread) {
      const std::uint32_t number = process_of(thread);
      if (number >= processes_.size()) processes_.resize(number + 1);
      Process& process = processes_[number];
      if (process.main_thread != run::none && annotations[thread] <= process.most_annotations) continue;
      process.main_thread = thread;
      process.most_annotations = annotations[thread];
    }
    for (std::uint32_t i = 0; i < records_.spans.size(); ++i) {
      const HostSpan& span = records_.spans[i];
      if (span.kind == SpanKind::iteration) continue;
      Process& process = processes_[process_of(span.thread)];
      if (span.reach == SpanReach::process) {
        process.across.push_back(i);
        process.needed = true;
      } else if (span.thread == process.main_thread && span.kind == SpanKind::annotation) {
        process.of_main.push_back(i);
      }
    }
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      Process& process = processes_[process_of(moments_[i].thread)];
      process.needed = process.needed || waits_for(process, i);
    }
  }

  bool waits_for(const Process& process, std::size_t moment) const {
    return contexts_[moment].backward && moments_[moment].thread != process.main_thread && !process.of_main.empty();
  }

  /// By moment, the path below the ranges of its own thread; empty when there are none.
  std::vector<std::uint32_t> find_paths_of_processes() {
    std::vector<std::uint32_t> below;
    if (std::none_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.needed; })) return below;
    below.resize(moments_.size());
    std::vector<Indices> moments(processes_.size());
    for (std::uint32_t i = 0; i < moments_.size(); ++i) {
      const std::uint32_t process = process_of(moments_[i].thread);
      if (processes_[process].needed) moments[process].push_back(i);
    }
    for (std::size_t number = 0; number < processes_.size(); ++number) {
      Process& process = processes_[number];
      std::stable_sort(moments[number].begin(), moments[number].end(),
                       [this](std::uint32_t a, std::uint32_t b) { return moments_[a].time < moments_[b].time; });
      sort_nested(process.across, records_.spans);
      sort_nested(process.of_main, records_.spans);
      OpenSpans across(records_, paths_, process.across);
      OpenSpans main(records_, paths_, process.of_main);
      for (const std::uint32_t index : moments[number]) {
        const std::int64_t time = moments_[index].time;
        below[index] = across.path_at(time, 0);
        if (waits_for(process, index)) below[index] = main.path_at(time, below[index]);
      }
    }
    return below;
  }

  const Records& records_;
  const std::vector<HostMoment>& moments_;
  RangePaths& paths_;
  std::vector<bool> is_backward_;
  std::vector<Indices> moments_of_;  // by thread, in the order of time
  std::vector<Process> processes_;
  std::vector<HostContext> contexts_;
};

}  // namespace

std::vector<HostContext> find_contexts(const Records& records, const std::vector<HostMoment>& moments,
                                       RangePaths& paths) {
  return ContextFinder(records, moments, paths).run();
}

}  // namespace kernwatt::readers::assembly
