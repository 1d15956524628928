// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/comparison_json.hpp"

#include "kernwatt/report/json/json_parts.hpp"
#include "kernwatt/report/json/json_writer.hpp"

namespace kernwatt::report {
namespace {

constexpr int schema = 1;

void write_run(JsonWriter& json, const char* name, const run::ComparedRun& run) {
  json.key(name).begin_object();
  json.member("file", run.file);
  json.member("command", run.command_line);
  json.member("tool_version", run.tool_version);
  json.member("created_ns", run.created_ns);
  json.member("source", run.source);
  write_list(json, "gpus", run.gpus);
  json.member("total_j", run.total_j);
  json.member("recording_s", run.recording_s);
  json.member("iterations", run.iterations);
  json.member("tokens_per_iteration", run.tokens_per_iteration);
  json.member("energy_divisor", run.energy_divisor);
  json.member("time_divisor", run.time_divisor);
  json.end_object();
}

void write_figures(JsonWriter& json, const char* name, const std::optional<run::ComparedFigures>& figures) {
  json.key(name);
  if (!figures) return json.null();
  json.begin_object();
  json.member("name", figures->name);
  json.member("detail", figures->detail);
  json.member("launches", figures->launches);
  json.member("energy_j", figures->energy_j.value);
  write_interval(json, "energy_ci95_j", figures->energy_j.ci95);
  json.member("time_s", figures->time_s.value);
  write_interval(json, "time_ci95_s", figures->time_s.ci95);
  json.end_object();
}

void write_change(JsonWriter& json, const char* name, const std::optional<run::Change>& change) {
  json.key(name);
  if (!change) return json.null();
  json.begin_object();
  json.member("difference", change->difference.value);
  write_interval(json, "ci95", change->difference.ci95);
  json.member("relative", change->relative);
  json.member("certain", change->certain);
  json.end_object();
}

void write_sides(JsonWriter& json, const run::ComparedRow& row) {
  write_figures(json, "before", row.before);
  write_figures(json, "after", row.after);
  write_change(json, "energy_j", row.energy_j);
  write_change(json, "time_s", row.time_s);
}

void write_row(JsonWriter& json, const run::ComparedRow& row) {
  json.begin_object();
  json.member("view", run::to_string(row.view));
  json.member("match", run::to_string(row.match));
  json.member("category", row.category);
  write_sides(json, row);
  json.end_object();
}

}  // namespace

std::string comparison_json(const run::Comparison& comparison, std::string_view tool_version) {
  JsonWriter json;
  json.begin_object();
  json.member("kind", "comparison");
  json.member("schema", schema);
  json.key("tool").begin_object();
  json.member("name", "kernwatt");
  json.member("version", tool_version);
  json.end_object();
  json.member("per", run::to_string(comparison.per));
  write_run(json, "before", comparison.before);
  write_run(json, "after", comparison.after);
  json.key("total").begin_object();
  write_sides(json, comparison.total);
  json.end_object();
  write_array(json, "rows", comparison.rows, write_row);
  write_array(json, "quality", comparison.quality.entries(), write_quality_entry);
  json.end_object();
  return json.take();
}

}  // namespace kernwatt::report
