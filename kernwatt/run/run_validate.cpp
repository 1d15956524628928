// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/run_validate.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kernwatt::run {
namespace {

Error points_nowhere(std::string_view table) {
  return {ErrorCode::bad_data, "damaged: a reference in " + std::string(table) + " points at nothing", ""};
}

bool in_range(std::uint32_t index, std::size_t size) { return index == none || index < size; }

Status validate_trace(const Trace& trace) {
  const std::uint32_t names = trace.names.size();
  const auto name_ok = [&](NameId id) { return in_range(id, names); };
  for (const Stream& stream : trace.streams)
    if (stream.gpu >= trace.gpus.size() || !name_ok(stream.name) || !name_ok(stream.process_group))
      return points_nowhere("trace_stream");
  for (const KernelClass& kernel_class : trace.classes)
    if (!name_ok(kernel_class.name)) return points_nowhere("trace_class");
  for (const Site& site : trace.sites)
    if (!name_ok(site.op) || !name_ok(site.outer_op) || !name_ok(site.shapes) || !name_ok(site.types) ||
        !std::all_of(site.ranges.begin(), site.ranges.end(), name_ok))
      return points_nowhere("trace_site");
  for (const OperatorCall& call : trace.calls)
    if (!in_range(call.site, trace.sites.size())) return points_nowhere("the calls of a trace");
  for (const Launch& launch : trace.launches) {
    if (!in_range(launch.kernel_class, trace.classes.size()) || !in_range(launch.stream, trace.streams.size()) ||
        !in_range(launch.call, trace.calls.size()) || !in_range(launch.iteration, trace.iteration_marks.size()))
      return points_nowhere("the launches of a trace");
    std::int64_t end = 0;
    if (launch.duration_ns < 0 || __builtin_add_overflow(launch.start_ns, launch.duration_ns, &end))
      return Error{ErrorCode::bad_data, "damaged: a launch of a trace ends before it starts", ""};
  }
  for (const auto* ranges : {&trace.iteration_marks, &trace.host_ranges})
    for (const HostRange& range : *ranges)
      if (!name_ok(range.name) || range.start_ns > range.end_ns) return points_nowhere("the ranges of a trace");
  return {};
}

Status validate_attribution(const Attribution& result) {
  std::unordered_set<std::uint32_t> ids;
  for (const Row& row : result.rows) {
    if (!ids.insert(row.id).second)
      return Error{ErrorCode::bad_data, "damaged: two rows of attribution_row have one id", ""};
    if (row.gpu && (*row.gpu < 0 || static_cast<std::size_t>(*row.gpu) >= result.gpus.size()))
      return points_nowhere("attribution_row");
  }
  const auto known = [&](std::uint32_t id) { return ids.count(id) != 0; };
  for (const Row& row : result.rows)
    if (row.parent && !known(*row.parent)) return points_nowhere("attribution_row");
  for (const TiedGroup& group : result.tied)
    if (!std::all_of(group.rows.begin(), group.rows.end(), known)) return points_nowhere("tied_group");
  for (const Explanation& explanation : result.explanations)
    if (!known(explanation.row)) return points_nowhere("explanation");
  for (const Cell& cell : result.breakdown.cells)
    if (!known(cell.class_row) || !known(cell.operator_row) || !known(cell.layer_row) || !known(cell.phase_row))
      return points_nowhere("the cells of the attribution");
  for (const RowSpan& span : result.breakdown.spans)
    if (!known(span.row) || span.start_ns > span.end_ns) return points_nowhere("the spans of the attribution");
  return {};
}

}  // namespace

Status validate(const Run& run) {
  const std::size_t classes = run.classes.size();
  const CanonicalIteration& iteration = run.iteration;
  for (const CanonicalLaunch& launch : iteration.launches)
    if (!in_range(launch.class_index, classes) || !in_range(launch.layer, iteration.layers.size()) ||
        !in_range(launch.phase, iteration.phases.size()))
      return points_nowhere("the launches of the iteration");
  for (const Observation& observation : run.observations)
    if (!in_range(observation.class_index, classes)) return points_nowhere("observation");
  const std::vector<std::uint32_t>& covered = run.covariance.class_index;
  if (!std::all_of(covered.begin(), covered.end(), [&](std::uint32_t index) { return index < classes; }))
    return points_nowhere("the covariance");
  if (run.covariance.w2.size() != covered.size() * covered.size())
    return Error{ErrorCode::bad_data, "damaged: the covariance is not square", ""};
  KERNWATT_CHECK(validate_attribution(run.attribution));
  for (const Trace& trace : run.traces) KERNWATT_CHECK(validate_trace(trace));
  return {};
}

}  // namespace kernwatt::run
