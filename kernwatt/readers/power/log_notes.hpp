// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernwatt/readers/csv/csv_reader.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/power_table.hpp"

namespace kernwatt::readers {

/// What was noticed while a power log was read, before it is put into sentences.
struct LogNotes {
  bool format_was_given = false;
  bool has_header = false;
  Compression compression = Compression::none;
  std::uint64_t preamble = 0;
  std::uint64_t header_repeats = 0;
  std::uint64_t bad_rows = 0;
  std::uint64_t torn = 0;
  std::string first_bad_row;
  std::string guessed_time;
  std::string guessed_power;
  std::vector<std::string> totals;
  std::uint64_t by_position = 0;  ///< GPUs told apart by the place of their row only
  bool one_number = false;        ///< and a column says the same number of all of them
};

/// Adds the entries about the log as a whole.
void write_notes(const LogNotes& notes, const PowerTable& table, const CsvReader& csv, run::PowerLog& log);
/// Adds the entries about the times of a log.
void note_times(const TimeFacts& time, QualityLedger& quality);
/// Adds the entries about the encoding of a text.
void note_decoding(const TextDecoder& decoder, QualityLedger& quality);
/// Adds the entries about one GPU's columns.
void write_gpu_notes(const GpuRows& rows, QualityLedger& quality);
/// The driver keeps its last samples and a recorder reads them again and again: each is kept once.
void drop_repeated_samples(GpuRows& rows, QualityLedger& quality);

}  // namespace kernwatt::readers
