// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/host_context.hpp"

#include <algorithm>
#include <numeric>

namespace kernwatt::readers::kineto {

std::uint32_t RangePaths::child(std::uint32_t parent, std::uint32_t name) {
  constexpr std::uint32_t deepest = 200;
  const std::uint32_t depth = nodes_[parent].depth + 1;
  if (depth > deepest) {
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

/// The ranges that are open at a moment that moves forward, as a path.
class OpenSpans {
 public:
  OpenSpans(const Records& records, RangePaths& paths, const Indices& order)
      : records_(records), paths_(paths), order_(order) {}

  std::uint32_t path_at(std::int64_t time, std::uint32_t below) {
    for (; next_ < order_.size() && records_.spans[order_[next_]].start <= time; ++next_) {
      const HostSpan& span = records_.spans[order_[next_]];
      close_before(span.start);
      open_.push_back({span.name, open_.empty() ? span.end : std::min(span.end, open_.back().end), run::none});
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
  void close_before(std::int64_t time) {
    while (!open_.empty() && open_.back().end < time) open_.pop_back();
  }

  const Records& records_;
  RangePaths& paths_;
  const Indices& order_;
  std::size_t next_ = 0;
  std::uint32_t below_ = 0;
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
    const std::uint32_t threads = records_.threads;
    auto operations = by_thread(records_.operations, threads, [](const HostOperation&) { return true; });
    auto spans = by_thread(records_.spans, threads, [](const HostSpan& s) { return s.kind != SpanKind::iteration; });
    auto moments = by_thread(moments_, threads, [](const HostMoment&) { return true; });
    find_main_thread();
    contexts_.resize(moments_.size());
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      if (moments[thread].empty()) continue;
      sort_nested(operations[thread], records_.operations);
      sort_nested(spans[thread], records_.spans);
      std::stable_sort(moments[thread].begin(), moments[thread].end(),
                       [this](std::uint32_t a, std::uint32_t b) { return moments_[a].time < moments_[b].time; });
      visit_thread(thread, operations[thread], spans[thread], moments[thread]);
    }
    return std::move(contexts_);
  }

 private:
  void find_main_thread() {
    std::vector<std::uint32_t> annotations(records_.threads);
    for (const HostSpan& span : records_.spans) annotations[span.thread] += span.kind == SpanKind::module ? 0 : 1;
    if (annotations.empty()) return;
    main_thread_ =
        static_cast<std::uint32_t>(std::max_element(annotations.begin(), annotations.end()) - annotations.begin());
    for (std::uint32_t i = 0; i < records_.spans.size(); ++i) {
      const HostSpan& span = records_.spans[i];
      if (span.thread == main_thread_ && span.kind == SpanKind::annotation) main_spans_.push_back(i);
    }
    sort_nested(main_spans_, records_.spans);
  }

  void visit_thread(std::uint32_t thread, const Indices& operations, const Indices& spans, const Indices& moments) {
    OpenOperations open_operations(records_, is_backward_, operations);
    OpenSpans own(records_, paths_, spans);
    OpenSpans main(records_, paths_, main_spans_);
    for (const std::uint32_t index : moments) {
      const HostMoment& moment = moments_[index];
      HostContext& context = contexts_[index];
      open_operations.describe(moment, context);
      const bool waits_for_it = context.backward && thread != main_thread_;
      context.path = own.path_at(moment.time, waits_for_it ? main.path_at(moment.time, 0) : 0);
    }
  }

  const Records& records_;
  const std::vector<HostMoment>& moments_;
  RangePaths& paths_;
  std::vector<bool> is_backward_;
  std::uint32_t main_thread_ = 0;
  Indices main_spans_;
  std::vector<HostContext> contexts_;
};

}  // namespace

std::vector<HostContext> find_contexts(const Records& records, const std::vector<HostMoment>& moments,
                                       RangePaths& paths) {
  return ContextFinder(records, moments, paths).run();
}

}  // namespace kernwatt::readers::kineto
