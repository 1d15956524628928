// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/report/json/json_writer.hpp"
#include "kernwatt/run/run.hpp"

/// What the documents have in common. Private to this folder.
namespace kernwatt::report {

/// "kind", "schema", "tool", "command", "created_ns".
void write_head(JsonWriter& json, std::string_view kind, int schema, const run::Run& run);
void write_power_summary(JsonWriter& json, const run::PowerSummary& power);
void write_quality_entry(JsonWriter& json, const QualityEntry& entry);
/// [low, high], or null.
void write_interval(JsonWriter& json, const char* name, const std::optional<run::Interval>& interval);

template <class List>
void write_list(JsonWriter& json, const char* name, const List& list) {
  json.key(name).begin_array();
  for (const auto& item : list) json.value(item);
  json.end_array();
}

template <class Items, class Write>
void write_array(JsonWriter& json, const char* name, const Items& items, Write write) {
  json.key(name).begin_array();
  for (const auto& item : items) write(json, item);
  json.end_array();
}

}  // namespace kernwatt::report
