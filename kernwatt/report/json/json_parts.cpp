// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/json_parts.hpp"

namespace kernwatt::report {

void write_head(JsonWriter& json, std::string_view kind, int schema, const run::Run& run) {
  json.member("kind", kind);
  json.member("schema", schema);
  json.key("tool").begin_object();
  json.member("name", "kernwatt");
  json.member("version", run.tool_version);
  json.end_object();
  json.member("command", run.command_line);
  json.member("created_ns", run.created_ns);
}

void write_power_summary(JsonWriter& json, const run::PowerSummary& power) {
  json.begin_object();
  json.member("file", power.file);
  json.member("format", power.format);
  json.member("gpu", power.gpu);
  json.member("samples", power.samples);
  json.member("missing", power.missing);
  json.member("start_ns", power.start_ns);
  json.member("end_ns", power.end_ns);
  json.member("energy_j", power.energy_j);
  json.member("energy_counter_j", power.energy_counter_j);
  json.member("max_gap_s", power.max_gap_s);
  json.end_object();
}

void write_quality_entry(JsonWriter& json, const QualityEntry& entry) {
  json.begin_object();
  json.member("id", entry.id);
  json.member("severity", to_string(entry.severity));
  json.member("count", entry.count);
  json.member("message", entry.message);
  json.end_object();
}

void write_interval(JsonWriter& json, const char* name, const std::optional<run::Interval>& interval) {
  json.key(name);
  if (!interval) return json.null();
  json.begin_array();
  json.value(interval->low);
  json.value(interval->high);
  json.end_array();
}

}  // namespace kernwatt::report
