// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/totals/totals_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernwatt/readers/csv/csv_reader.hpp"
#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/totals/totals_table.hpp"

namespace kernwatt::readers {

namespace {

using Cells = std::vector<std::string_view>;

constexpr std::size_t longest_preamble = 30;

std::vector<std::string> names_of(const Cells& cells) {
  std::vector<std::string> names;
  names.reserve(cells.size());
  for (const std::string_view cell : cells) names.push_back(lower(trim(cell)));
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

std::string_view format_of(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (has("window_name") && has("elapsed_time")) return zeus_windows_format;
  if (has("average_power") && has("time_per_epoch") && has("power_limit")) return zeus_summary_format;
  if (has("emissions") && has("energy_consumed") && has("duration")) return codecarbon_format;
  return {};
}

std::unique_ptr<TotalsFormat> reader_for(std::string_view format) {
  if (format == zeus_windows_format) return std::make_unique<ZeusWindows>();
  if (format == zeus_summary_format) return std::make_unique<ZeusSummary>();
  return std::make_unique<CodeCarbonRuns>();
}

CsvOptions csv_options() {
  CsvOptions options;
  options.decode_text = true;
  options.longest_quoted = 4096;
  options.longest_record = std::size_t{1} << 20U;
  return options;
}

Result<std::vector<std::string>> find_header(CsvReader& csv, std::string_view format, const std::string& file) {
  Cells cells;
  for (std::size_t i = 0; i < longest_preamble; ++i) {
    KERNWATT_TRY(const bool more, csv.next(cells));
    if (!more) break;
    std::vector<std::string> names = names_of(cells);
    if (format_of(names) == format) return names;
  }
  return Error{ErrorCode::bad_data, fmt::format("no line of this file is a header of {} (docs/formats.md)", format),
               file};
}

void note_table(const CsvReader& csv, std::uint64_t bad_rows, bool torn, QualityLedger& quality) {
  note_decoding(csv.decoder(), quality);
  if (bad_rows > 0) {
    quality.add("power.bad-rows", Severity::warning,
                "rows with another number of cells than the header, or without a duration, were left out", bad_rows);
  }
  if (torn) quality.add("power.torn-row", Severity::warning, "the last row lost its end and was left out");
}

}  // namespace

std::string_view totals_format_of(std::string_view header) {
  Cells cells;
  while (true) {
    const std::size_t comma = header.find(',');
    cells.push_back(header.substr(0, comma));
    if (comma == std::string_view::npos) break;
    header.remove_prefix(comma + 1);
  }
  return format_of(names_of(cells));
}

Result<run::PowerLog> read_totals_csv(ByteSource& source, const std::string& file, std::string_view format,
                                      bool format_was_given, const Progress& progress) {
  CsvReader csv(source, csv_options(), progress);
  KERNWATT_TRY(std::vector<std::string> names, find_header(csv, format, file));
  TotalsRow row(std::move(names));
  const auto reader = reader_for(format);
  run::PowerLog log;
  log.file = file;
  log.format = format;
  std::uint64_t bad_rows = 0;
  bool torn = false;
  Cells cells;
  while (true) {
    KERNWATT_TRY(const bool more, csv.next(cells));
    if (!more) break;
    const bool whole = row.take(cells);
    if (!whole && !csv.terminated()) {
      torn = true;
    } else if (names_of(cells) != row.names() && (!whole || !reader->row(row, log.totals))) {
      ++bad_rows;
    }
  }
  if (log.totals.empty()) {
    return Error{ErrorCode::bad_data,
                 fmt::format("{} with a header and no row that can be read: nothing was recorded", format), file};
  }
  log.quality.add("power.format", Severity::info,
                  fmt::format("read as {} ({})", format, format_was_given ? "as asked" : "told by its content"));
  log.quality.add("power.totals-only", Severity::info,
                  "the file has one figure per run or window and no course of power: it can be reported, not laid "
                  "beside a trace",
                  log.totals.size());
  note_table(csv, bad_rows, torn, log.quality);
  reader->notes(log.quality);
  source.report_damage(log.quality);
  return log;
}

}  // namespace kernwatt::readers
