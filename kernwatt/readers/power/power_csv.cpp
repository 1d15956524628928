// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernwatt/readers/csv/csv_reader.hpp"
#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/power_guess.hpp"
#include "kernwatt/readers/power/power_repairs.hpp"
#include "kernwatt/readers/power/power_split.hpp"
#include "kernwatt/readers/power/power_table.hpp"

namespace kernwatt::readers {

namespace {

using Cells = std::vector<std::string_view>;

constexpr std::size_t longest_preamble = 30;  // records: a shell's prompt, a banner

CsvOptions options_for(char delimiter) {
  CsvOptions options;
  options.delimiter = delimiter;
  options.decode_text = true;
  options.longest_quoted = 4096;
  options.longest_record = std::size_t{1} << 20U;
  return options;
}

std::string shown(const Cells& cells) {
  std::string text;
  for (const std::string_view cell : cells) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", trim(cell));
    if (text.size() > 160) break;
  }
  if (text.size() > 160) text = text.substr(0, 157) + "…";
  return visible_text(text);
}

/// Reads one file; each step leaves what it found out in notes_.
class PowerCsvReading {
 public:
  PowerCsvReading(ByteSource& source, std::string_view format, char delimiter, const Progress& progress)
      : source_(source), csv_(source, options_for(delimiter), progress), table_(delimiter != ','), format_(format) {}

  Result<run::PowerLog> read(std::string file);

 private:
  Status find_columns();
  Status check_asked(const ColumnLayout& layout) const;
  Status begin_with_header(const Cells& header);
  bool find_time_column(const Cells& first_row);
  void bind(ColumnLayout layout);
  void add(const Cells& cells);
  std::string_view format_of(const ColumnLayout& layout) const;
  Status check_columns() const;
  Result<run::PowerLog> finish(std::string file);

  ByteSource& source_;
  CsvReader csv_;
  PowerTable table_;
  std::string format_;
  bool format_was_given_ = !format_.empty();
  LogNotes notes_;
  Cells cells_;
  std::string first_record_;
};

std::string_view PowerCsvReading::format_of(const ColumnLayout& layout) const {
  if (!layout.has_header || layout.nvidia_smi_names) return nvidia_smi_format;
  std::size_t used = 0;
  bool driver_samples = layout.columns.size() == 2;
  for (const Column& column : layout.columns) {
    used += column.role == ColumnRole::ignored ? 0U : 1U;
    driver_samples = driver_samples && (column.header == "time_us" || column.header == "power_mw");
  }
  return driver_samples && used == 2 ? power_samples_format : power_csv_format;
}

void PowerCsvReading::bind(ColumnLayout layout) {
  if (format_.empty()) format_ = format_of(layout);
  if (format_ == power_samples_format) {
    for (Column& column : layout.columns) {
      if (is_power(column.role)) column.role = ColumnRole::power_sample;
    }
  }
  notes_.totals = layout.totals;
  notes_.guessed_power = layout.guessed_power;
  notes_.has_header = layout.has_header;
  table_.bind(std::move(layout));
}

// A table may have an unnamed first column, or a name for its times that we do not know.
bool PowerCsvReading::find_time_column(const Cells& first_row) {
  ColumnLayout layout = table_.layout();
  for (std::size_t i = 0; i < std::min(first_row.size(), layout.columns.size()); ++i) {
    if (layout.columns[i].role != ColumnRole::ignored) continue;
    const auto stamp = parse_timestamp(first_row[i], TimeUnit::guess);
    if (!stamp || stamp->kind == TimeKind::relative) continue;
    layout.columns[i].role = ColumnRole::time;
    notes_.guessed_time = layout.columns[i].header.empty() ? fmt::format("number {}", i + 1) : layout.columns[i].header;
    table_.bind(std::move(layout));
    return true;
  }
  return false;
}

// A table of another kind must not be believed because it was named.
Status PowerCsvReading::check_asked(const ColumnLayout& layout) const {
  if (!format_was_given_ || format_ == power_csv_format || format_ == format_of(layout)) return {};
  if (!layout.has_power() && !layout.has_energy()) return {};  // no power log at all: its columns will be named
  return Error{
      ErrorCode::bad_data,
      fmt::format("this was to be read as {}, but its columns are those of {}: leave out --power-format, or give "
                  "that name",
                  format_, format_of(layout)),
      {}};
}

Status PowerCsvReading::begin_with_header(const Cells& header) {
  ColumnLayout layout = layout_from_header(header);
  KERNWATT_CHECK(check_asked(layout));
  bind(std::move(layout));
  if (table_.layout().has_time()) return {};
  const std::string names = shown(header);
  KERNWATT_TRY(const bool more, csv_.next(cells_));
  if (more && find_time_column(cells_)) {
    add(cells_);
    return {};
  }
  return Error{ErrorCode::bad_data,
               fmt::format("no column of this table holds times; its columns are {}. Log with a timestamp, as "
                           "nvidia-smi --query-gpu=timestamp,… does",
                           names),
               {}};
}

Status PowerCsvReading::find_columns() {
  for (std::size_t i = 0; i < longest_preamble; ++i) {
    KERNWATT_TRY(const bool more, csv_.next(cells_));
    if (!more) break;
    if (first_record_.empty()) first_record_ = shown(cells_);
    if (looks_like_header(cells_)) {
      const Cells header = cells_;
      return begin_with_header(header);
    }
    ColumnLayout layout = layout_from_cells(cells_);
    if (layout.has_time() && layout.recognised() > 1) {
      KERNWATT_CHECK(check_asked(layout));
      bind(std::move(layout));
      add(cells_);
      return {};
    }
    ++notes_.preamble;
  }
  return Error{
      ErrorCode::bad_data,
      fmt::format("not a power log that we know (docs/formats.md lists them): it begins with \"{}\", and has no "
                  "header with names such as timestamp and power.draw, nor cells with units",
                  first_record_),
      {}};
}

void PowerCsvReading::add(const Cells& cells) {
  const PowerTable::Added added = table_.add(cells, !csv_.terminated());
  if (added == PowerTable::Added::yes) return;
  if (added == PowerTable::Added::torn) {
    ++notes_.torn;
    return;
  }
  if (notes_.has_header && looks_like_header(cells)) {
    ColumnLayout layout = layout_from_header(cells);
    if (layout.has_time()) {
      ++notes_.header_repeats;
      const std::string guessed_time = notes_.guessed_time;
      bind(std::move(layout));
      return;
    }
  }
  ++notes_.bad_rows;
  if (notes_.first_bad_row.empty()) notes_.first_bad_row = fmt::format("line {}: {}", csv_.line_number(), shown(cells));
}

Status PowerCsvReading::check_columns() const {
  if (table_.rows() == 0) {
    return Error{ErrorCode::bad_data,
                 notes_.bad_rows == 0 ? std::string("a header and no whole row: nothing was logged")
                                      : fmt::format("none of {} rows has a time that can be read; {}", notes_.bad_rows,
                                                    notes_.first_bad_row),
                 {}};
  }
  const ColumnLayout& layout = table_.layout();
  if (layout.has_power() || layout.has_energy() || layout.recognised() > 1) return {};
  return Error{ErrorCode::bad_data,
               fmt::format("no column of this table is about a GPU's power or energy: {}", first_record_),
               {}};
}

Result<run::PowerLog> PowerCsvReading::finish(std::string file) {
  run::PowerLog log;
  log.file = std::move(file);
  log.format = format_;
  notes_.format_was_given = format_was_given_;
  notes_.compression = source_.compression();
  const bool by_position = table_.by_position();
  std::vector<GpuRows> gpus = table_.take();
  const bool anonymous = table_.anonymous();
  if (anonymous && !by_position) {
    while (gpus.size() > 1) {
      absorb(gpus.front(), std::move(gpus.back()));
      gpus.pop_back();
    }
  }
  const bool one_number = table_.one_number() && gpus.size() == 1;
  if ((anonymous || one_number) && gpus.size() == 1) gpus = split_bursts(std::move(gpus.front()), one_number);
  notes_.one_number = table_.under_one_number() > 0 || (one_number && gpus.size() > 1);
  notes_.by_position = (anonymous || notes_.one_number) && gpus.size() > 1 ? gpus.size() : 0;
  if (notes_.by_position > 0) number_by_position(gpus);
  const TimeFacts& time = table_.time_facts();
  RepairContext context;
  context.power_unit_known = table_.unit_known();
  context.exchange_day_and_month = time.month_first > 0 && time.day_first == 0;
  context.may_spread_stamps = format_ != power_samples_format;
  log.basis = basis_of(time);
  write_notes(notes_, table_, csv_, log);
  for (GpuRows& rows : gpus) {
    repair(rows, context, log.quality);
    if (format_ == power_samples_format) drop_repeated_samples(rows, log.quality);
    write_gpu_notes(rows, log.quality);
    log.gpus.push_back(finished(std::move(rows)));
  }
  source_.report_damage(log.quality);
  return log;
}

Result<run::PowerLog> PowerCsvReading::read(std::string file) {
  KERNWATT_CHECK(find_columns());
  while (true) {
    KERNWATT_TRY(const bool more, csv_.next(cells_));
    if (!more) break;
    add(cells_);
  }
  KERNWATT_CHECK(check_columns());
  return finish(std::move(file));
}

}  // namespace

Result<run::PowerLog> read_power_csv(ByteSource& source, const std::string& file, std::string_view format,
                                     char delimiter, const Progress& progress) {
  return PowerCsvReading(source, format, delimiter, progress).read(file);
}

}  // namespace kernwatt::readers
