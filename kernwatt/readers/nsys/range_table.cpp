// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

// The NVTX ranges of EventTables.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "kernwatt/readers/assembly/iteration_name.hpp"
#include "kernwatt/readers/nsys/event_tables.hpp"
#include "kernwatt/readers/nsys/nvtx_name.hpp"

namespace kernwatt::readers::nsys {

using namespace std::string_view_literals;
using assembly::HostOperation;
using assembly::HostSpan;

namespace {

enum RangeColumn : std::size_t { start_at, end_at, type_at, thread_at, end_thread_at, text_at, text_id_at };
constexpr std::array range_columns{"start"sv,        "end"sv,  "eventType"sv, "globalTid"sv,
                                   "endGlobalTid"sv, "text"sv, "textId"sv};

/// ENUM_NSYS_EVENT_TYPE: ranges that were pushed and popped, or started and ended. Marks, categories and the creation
/// of domains are events of the same table.
bool is_range(std::int64_t type) { return type == 59 || type == 60 || type == 70 || type == 71; }

}  // namespace

void EventTables::read_ranges() {
  TableScan scan(database_, database_.find("NVTX_EVENTS"), range_columns);
  while (scan.next()) {
    if (scan.has(type_at) && !is_range(scan.integer(type_at).value_or(0))) {
      advance();
      continue;
    }
    if (const auto text = scan.text(text_at); text && !text->empty()) {
      add_range(scan, *text);
    } else if (const auto id = scan.integer(text_id_at); id && !ids_.at(*id).empty()) {
      add_range(scan, ids_.at(*id));
    } else {
      advance();
      ++facts_.ranges_without_text;
    }
  }
}

void EventTables::add_range(const TableScan& scan, std::string_view text) {
  HostSpan span;
  if (scan.is_null(end_at) && scan.integer(start_at)) {
    advance();
    ++facts_.open_ranges;
    span.start = *scan.integer(start_at);
    span.end = std::numeric_limits<std::int64_t>::max();
  } else {
    const auto times = host_times(scan);
    if (!times) return;
    span.start = times->first;
    span.end = times->last;
  }
  const auto thread = scan.integer(thread_at);
  const auto end_thread = scan.integer(end_thread_at);
  span.thread = keys_.thread(thread);
  const NvtxName name = parse_nvtx_name(text);
  if (!name.is_operator) {
    if (thread && end_thread && *end_thread != *thread && *end_thread != 0) {
      span.reach = assembly::SpanReach::process;
      ++facts_.ranges_across_threads;
    }
    return add_user_range(span, name.name);
  }
  HostOperation operation;
  operation.start = span.start;
  operation.end = span.end;
  operation.sequence = name.sequence;
  operation.thread = span.thread;
  operation.name = texts_.of_text(name.name);
  operation.shapes = texts_.of_text(name.shapes);
  records_.operations.push_back(operation);
}

void EventTables::add_user_range(HostSpan span, std::string_view name) {
  span.name = texts_.of_text(name);
  if (assembly::is_profiler_step(name)) {
    span.kind = assembly::SpanKind::iteration;
  } else if (const auto family = assembly::iteration_family(name)) {
    candidates_.push_back({static_cast<std::uint32_t>(records_.spans.size()), family_of(*family)});
  }
  records_.spans.push_back(span);
}

std::uint32_t EventTables::family_of(const std::string& family) {
  const auto found = std::find(families_.begin(), families_.end(), family);
  if (found != families_.end()) return static_cast<std::uint32_t>(found - families_.begin());
  families_.push_back(family);
  return static_cast<std::uint32_t>(families_.size() - 1);
}

}  // namespace kernwatt::readers::nsys
