// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/metric_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kernwatt/readers/csv/csv_reader.hpp"
#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/prometheus/metric_rows.hpp"

namespace kernwatt::readers {

namespace {

using Cells = std::vector<std::string_view>;

constexpr std::size_t longest_preamble = 30;

/// Where the columns are.
struct MetricHeader {
  std::optional<std::size_t> time, metric, value;
  TimeUnit time_unit = TimeUnit::guess;
  std::vector<std::string> names;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<MetricHeader> header_of(const Cells& cells) {
  MetricHeader header;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string name = lower(trim(cells[i]));
    header.names.push_back(name);
    if (is_one_of(name, {"metric", "metric_name", "__name__", "field", "field_name"}) && !header.metric) {
      header.metric = i;
    } else if (is_one_of(name, {"value", "metric_value", "sample", "sample_value"}) && !header.value) {
      header.value = i;
    } else if (role_by_name(take_apart(name)) == ColumnRole::time && !header.time) {
      header.time = i;
      header.time_unit = time_unit_of(take_apart(name).unit);
    }
  }
  return header.metric && header.value ? std::optional(header) : std::nullopt;
}

CsvOptions csv_options() {
  CsvOptions options;
  options.decode_text = true;
  options.longest_quoted = std::size_t{64} << 10U;  // all labels may be in one cell
  options.longest_record = std::size_t{1} << 20U;
  return options;
}

struct MetricTable {
  MetricHeader header;
  std::uint64_t bad_rows = 0;
};

void take_row(const Cells& cells, MetricTable& table, MetricRows& rows) {
  const MetricHeader& header = table.header;
  const auto cell = [&](std::size_t i) { return i < cells.size() ? trim(cells[i]) : std::string_view{}; };
  const std::string_view metric = cell(*header.metric);
  const Column* column = nullptr;
  if (cells.size() < header.names.size() || metric.empty()) {
    ++table.bad_rows;
    return;
  }
  if (!rows.find(metric, column)) {
    rows.ignore(cell(*header.value));
    return;
  }
  std::optional<Timestamp> stamp;
  if (header.time) stamp = parse_timestamp(cell(*header.time), header.time_unit);
  if (header.time && !stamp) {
    ++table.bad_rows;
    return;
  }
  Labels labels;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (i != *header.metric && i != *header.value && i != header.time) labels.emplace_back(header.names[i], cell(i));
  }
  rows.add(identity_of(labels), *column, cell(*header.value), stamp, 0);
}

}  // namespace

bool is_metric_header(std::string_view line) {
  Cells cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  return header_of(cells).has_value();
}

Result<run::PowerLog> read_metric_csv(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress) {
  LogCollector log(metric_csv_format);
  MetricRows rows(log);
  CsvReader csv(source, csv_options(), progress);
  MetricTable table;
  Cells cells;
  bool found = false;
  for (std::size_t i = 0;; ++i) {
    KERNWATT_TRY(const bool more, csv.next(cells));
    if (!more) break;
    if (found) {
      take_row(cells, table, rows);
    } else if (auto header = header_of(cells)) {
      table.header = std::move(*header);
      found = true;
    } else if (i >= longest_preamble) {
      break;
    }
  }
  rows.finish();
  note_decoding(csv.decoder(), log.quality());
  if (table.bad_rows > 0) {
    log.quality().add("power.bad-rows", Severity::warning,
                      "rows without a metric or a time that can be read, or with too few cells, were left out",
                      table.bad_rows);
  }
  return log.finish(file, format_was_given, source,
                    found ? "none of the metrics in this table is a power, energy or clock of a GPU that a column names"
                          : "no line is the header of a table with a metric per row: it needs columns such as metric "
                            "and value");
}

}  // namespace kernwatt::readers
