// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/attribution_json.hpp"

#include "kernwatt/report/json/json_parts.hpp"
#include "kernwatt/report/json/json_writer.hpp"
#include "kernwatt/run/combined_rows.hpp"

namespace kernwatt::report {
namespace {

constexpr int schema = 1;

void write_trace(JsonWriter& json, const run::TraceSummary& trace) {
  json.begin_object();
  json.member("file", trace.file);
  json.member("format", trace.format);
  json.member("rank", trace.rank);
  write_list(json, "gpus", trace.gpus);
  json.member("kernels", trace.kernels);
  json.member("distinct_names", trace.distinct_names);
  json.member("busy_sum_ns", trace.busy_sum_ns);
  json.member("busy_union_ns", trace.busy_union_ns);
  json.member("memcpy_count", trace.memcpy_count);
  json.member("memset_count", trace.memset_count);
  json.member("comm_ns", trace.comm_ns);
  json.member("comm_overlapped_ns", trace.comm_overlapped_ns);
  json.member("comm_waiting_ns", trace.comm_waiting_ns);
  json.member("start_ns", trace.start_ns);
  json.member("end_ns", trace.end_ns);
  json.end_object();
}

void write_account(JsonWriter& json, const run::EnergyAccount& account) {
  json.member("source", account.source);
  json.member("start_ns", account.start_ns);
  json.member("end_ns", account.end_ns);
  json.member("total_j", account.total_j);
  json.member("attributed_j", account.attributed_j);
  json.member("idle_j", account.idle_j);
  json.member("unattributed_j", account.unattributed_j);
  json.member("lag_ms", account.lag_ms);
  json.member("delay_ms", account.delay_ms);
  json.member("execution_idle_w", account.execution_idle_w);
  write_interval(json, "execution_idle_ci95_w", account.execution_idle_ci95_w);
  json.member("reference_mhz", account.reference_mhz);
}

void write_energy(JsonWriter& json, const run::Attribution& result) {
  json.key("energy").begin_object();
  write_account(json, result.total);
  json.key("gpus").begin_array();
  for (const run::EnergyAccount& account : result.gpus) {
    json.begin_object();
    json.member("gpu", account.gpu);
    write_account(json, account);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_iterations(JsonWriter& json, const run::IterationSummary& iterations) {
  json.key("iterations").begin_object();
  json.member("count", iterations.count);
  json.member("found_by", iterations.found_by);
  json.member("period_s", iterations.period_s);
  json.member("energy_j", iterations.energy_j);
  write_interval(json, "energy_ci95_j", iterations.energy_ci95_j);
  json.member("tokens_per_joule", iterations.tokens_per_joule);
  json.end_object();
}

void write_row(JsonWriter& json, const run::Row& row) {
  json.begin_object();
  json.member("id", row.id);
  json.member("parent", row.parent);
  json.member("view", run::to_string(row.view));
  json.member("gpu", row.gpu);
  json.member("rank", row.rank);
  json.member("name", row.name);
  json.member("detail", row.detail);
  json.member("launches", row.launches);
  json.member("time_s", row.time_s);
  json.member("energy_j", row.energy_j);
  write_interval(json, "energy_ci95_j", row.energy_ci95_j);
  json.member("power_w", row.power_w);
  write_interval(json, "power_ci95_w", row.power_ci95_w);
  json.member("power_at_reference_w", row.power_at_reference_w);
  write_interval(json, "power_at_reference_ci95_w", row.power_at_reference_ci95_w);
  json.member("share_of_total", row.share_of_total);
  json.member("flops", row.flops);
  json.member("j_per_flop", row.j_per_flop);
  write_list(json, "flags", row.flags);
  json.end_object();
}

void write_tied(JsonWriter& json, const run::TiedGroup& group) {
  json.begin_object();
  json.member("id", group.id);
  write_list(json, "rows", group.rows);
  json.member("energy_j", group.energy_j);
  write_interval(json, "energy_ci95_j", group.energy_ci95_j);
  json.end_object();
}

void write_explanation(JsonWriter& json, const run::Explanation& explanation) {
  json.begin_object();
  json.member("row", explanation.row);
  json.member("time_share_energy_j", explanation.time_share_energy_j);
  json.member("how", explanation.how);
  json.end_object();
}

/// As a table, whose many lines would repeat the names otherwise.
void write_cells(JsonWriter& json, const std::vector<run::Cell>& cells) {
  json.key("cells").begin_object();
  json.key("columns").begin_array();
  for (const char* name :
       {"class", "operator", "layer", "phase", "launches", "time_s", "energy_j", "measured_s", "flops"})
    json.value(name);
  json.end_array();
  json.key("rows").begin_array();
  for (const run::Cell& cell : cells) {
    json.begin_array();
    for (const std::uint32_t row : {cell.class_row, cell.operator_row, cell.layer_row, cell.phase_row}) json.value(row);
    for (const double number : {cell.launches, cell.time_s, cell.energy_j, cell.measured_s, cell.flops})
      json.value(number);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string attribution_json(const run::Run& run) {
  const run::Attribution& result = run.attribution;
  JsonWriter json;
  json.begin_object();
  write_head(json, "attribution", schema, run);
  write_array(json, "traces", result.traces, write_trace);
  write_array(json, "power", result.power, write_power_summary);
  write_energy(json, result);
  write_iterations(json, result.iterations);
  write_array(json, "rows", result.rows, write_row);
  write_array(json, "combined", run::combined_rows(result), write_row);
  write_cells(json, result.breakdown.cells);
  write_array(json, "tied", result.tied, write_tied);
  write_array(json, "explanations", result.explanations, write_explanation);
  write_array(json, "quality", run.quality.entries(), write_quality_entry);
  json.end_object();
  return json.take();
}

}  // namespace kernwatt::report
