// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/log_notes.hpp"

#include <fmt/format.h>

#include "kernwatt/readers/power/power_guess.hpp"
#include "kernwatt/readers/power/power_math.hpp"

namespace kernwatt::readers {

namespace {

std::string roles_text(const ColumnLayout& layout) {
  std::string text;
  for (const Column& column : layout.columns) {
    if (!is_power(column.role) && column.role != ColumnRole::energy) continue;
    if (text.size() > 100) return text + ", …";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", column.header.empty() ? "a column in W" : column.header);
  }
  return text.empty() ? "none" : visible_text(text);
}

void note_format(const LogNotes& notes, const PowerTable& table, run::PowerLog& log) {
  log.quality.add(
      "power.format", Severity::info,
      fmt::format(
          "read as {} ({}{}); power and energy from: {}", log.format,
          notes.format_was_given ? "as asked" : "told by its content",
          notes.compression == Compression::none ? std::string() : fmt::format(", {}", to_string(notes.compression)),
          roles_text(table.layout())));
  const ColumnLayout& layout = table.layout();
  if (!layout.has_power() && !layout.has_energy()) {
    log.quality.add("power.no-power-column", Severity::error,
                    "no column of the log holds power or energy: query power.draw.instant or power.draw too");
  }
  if (!notes.has_header) {
    log.quality.add("power.no-header", Severity::info,
                    "the log has no header: its columns were told by the units in their cells; columns without a unit "
                    "were not read");
  }
}

void note_columns(const LogNotes& notes, QualityLedger& quality) {
  if (!notes.guessed_time.empty()) {
    quality.add("power.time-column-guessed", Severity::info,
                fmt::format("no column is named as times; column {} holds some and was taken",
                            visible_text(notes.guessed_time)));
  }
  if (!notes.guessed_power.empty()) {
    quality.add("power.column-guessed", Severity::warning,
                fmt::format("no column has a name that we know for power; \"{}\" was taken",
                            visible_text(notes.guessed_power)));
  }
  if (!notes.totals.empty()) {
    quality.add("power.totals-ignored", Severity::info,
                fmt::format("column(s) that sum over devices are left out, lest they count twice: {}",
                            visible_text(fmt::format("{}", fmt::join(notes.totals, ", ")))),
                notes.totals.size());
  }
  if (notes.by_position > 0) {
    quality.add(
        "power.gpu-by-position", Severity::warning,
        fmt::format("each poll has {} rows and {}: they were told apart and numbered by their order. Query {}uuid too",
                    notes.by_position,
                    notes.one_number ? "the column of the GPU's number says the same of all of them"
                                     : "no column says which GPU they are",
                    notes.one_number ? "" : "index or "),
        notes.by_position);
  }
}

void note_csv(const CsvReader& csv, QualityLedger& quality) {
  note_decoding(csv.decoder(), quality);
  if (csv.stray_quotes() > 0) {
    quality.add("power.stray-quote", Severity::warning, "quotes that nothing closes were read as letters",
                csv.stray_quotes());
  }
  if (csv.skipped_long() > 0) {
    quality.add("power.long-line", Severity::warning, "lines of more than a megabyte were left out",
                csv.skipped_long());
  }
}

void note_rows(const LogNotes& notes, const PowerTable& table, QualityLedger& quality) {
  if (notes.preamble > 0) {
    quality.add("power.preamble", Severity::info, "lines before the table were skipped", notes.preamble);
  }
  if (notes.header_repeats > 0) {
    quality.add("power.header-repeated", Severity::info,
                "the header comes again among the rows (a loop of single queries, or logs put one after the other)",
                notes.header_repeats);
  }
  if (notes.bad_rows > 0) {
    quality.add("power.bad-rows", Severity::warning,
                fmt::format("rows without a time that can be read were left out; the first is {}", notes.first_bad_row),
                notes.bad_rows);
  }
  if (notes.torn > 0) {
    quality.add("power.torn-row", Severity::warning, "the last row lost its end and was left out", notes.torn);
  }
  if (table.short_rows() > 0) {
    quality.add("power.short-rows", Severity::warning,
                "rows have fewer cells than there are columns; what they lack is missing", table.short_rows());
  }
  if (table.long_rows() > 0) {
    quality.add("power.long-rows", Severity::warning,
                "rows have more cells than there are columns; the rest was not read", table.long_rows());
  }
  if (table.several_lines() > 0) {
    quality.add("power.multiline-cell", Severity::warning,
                "cells hold several lines (the output of two commands in one): the first line was read",
                table.several_lines());
  }
}

}  // namespace

void note_times(const TimeFacts& time, QualityLedger& quality) {
  if (time.civil > 0) {
    quality.add("power.local-time", Severity::info,
                "the times have no zone: they are read as if they were UTC, and whole hours may be off");
  }
  if (time.relative > 0) {
    quality.add("power.time-relative", Severity::warning,
                "the times count from an unknown zero: the log can be laid beside a trace only with --time-offset",
                time.relative);
  }
  if (time.day_first > 0 && time.month_first > 0) {
    quality.add("power.date-mixed", Severity::warning,
                "some dates can only be day-month and others only month-day: days up to 12 were read as days",
                time.undecidable);
  } else if (time.undecidable > 0 && time.day_first + time.month_first == 0) {
    quality.add("power.date-ambiguous", Severity::warning,
                "the dates may be day-month or month-day, and no row decides: read as day-month. Differences within "
                "the log are right, the place beside a trace may be off by months",
                time.undecidable);
  } else if (time.month_first > 0 || time.day_first > 0) {
    quality.add("power.date-order", Severity::info,
                fmt::format("the dates are {}, as those with a number above 12 show",
                            time.month_first > 0 ? "month-day" : "day-month"));
  }
}

void note_decoding(const TextDecoder& decoder, QualityLedger& quality) {
  if (decoder.encoding() != TextEncoding::utf8) {
    quality.add("power.encoding", Severity::info,
                fmt::format("the text is {}, as a redirection in PowerShell writes it", to_string(decoder.encoding())));
  }
  if (decoder.nul_bytes() == 0) return;
  quality.add("power.nul-bytes", Severity::warning,
              fmt::format("{} zero bytes were taken out: the log was cut while a program had it open, so rows may be "
                          "lost around the hole",
                          decoder.nul_bytes()),
              decoder.nul_bytes());
}

void write_notes(const LogNotes& notes, const PowerTable& table, const CsvReader& csv, run::PowerLog& log) {
  note_format(notes, table, log);
  note_columns(notes, log.quality);
  note_times(table.time_facts(), log.quality);
  note_csv(csv, log.quality);
  note_rows(notes, table, log.quality);
}

void write_gpu_notes(const GpuRows& rows, QualityLedger& quality) {
  const std::string label = label_of(rows.power.gpu);
  std::string without;
  std::uint64_t cells = 0;
  for (const auto& [header, count] : rows.other_missing) {
    without += fmt::format("{}{} {} of {}", without.empty() ? "" : ", ", header.empty() ? "a column" : header, count,
                           rows.power.rows);
    cells += count;
  }
  if (cells > 0) {
    quality.add("power.missing-cells", Severity::info,
                fmt::format("{}: cells without a value, by column: {}", label, visible_text(without)), cells);
  }
  if (rows.sentinels > 0) {
    quality.add("power.sentinel", Severity::warning,
                "numbers that stand for \"not supported\" (such as 9223372036854775794) were left out", rows.sentinels);
  }
  if (rows.module_readings > 0) {
    quality.add("power.module-scope", Severity::info,
                "the power of the module, which includes its CPU and memory, is not the GPU's and was not used",
                rows.module_readings);
  }
  if (rows.index_disagrees > 0) {
    quality.add("power.index-mislabelled", Severity::warning,
                "the columns \"gpu\" and \"index\" disagree: \"gpu\" was taken to name the device, since \"index\" "
                "holds something else",
                rows.index_disagrees);
  }
}

void drop_repeated_samples(GpuRows& rows, QualityLedger& quality) {
  run::Series<double>& samples = rows.power.power_samples_w;
  run::Series<double> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool repeated =
        !kept.empty() && kept.time_ns.back() == samples.time_ns[i] && kept.value.back() == samples.value[i];
    if (!repeated) kept.push(samples.time_ns[i], samples.value[i]);
  }
  const std::size_t dropped = samples.size() - kept.size();
  if (dropped == 0) return;
  rows.power.rows -= dropped;
  samples = std::move(kept);
  quality.add("power.samples-repeated", Severity::info, "samples that were read more than once are kept once", dropped);
}

}  // namespace kernwatt::readers
