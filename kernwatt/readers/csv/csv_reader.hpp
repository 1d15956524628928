// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers {

struct CsvOptions {
  char delimiter = ',';
  bool decode_text = false;  ///< byte-order marks, UTF-16 and NULs are taken out; costs a copy
  /// A quoted cell that is longer is taken for a stray quote: the record is read again with the quote as a letter.
  std::size_t longest_quoted = std::size_t{1} << 20U;
  std::size_t longest_record = std::size_t{4} << 20U;  ///< longer ones are skipped and counted
};

/// The records of a CSV file (RFC 4180: quoted cells may hold delimiters, line ends and doubled quotes), in bounded
/// memory. Blanks before an opening quote are allowed, as nvidia-smi writes ", " between cells.
class CsvReader {
 public:
  CsvReader(ByteSource& source, const CsvOptions& options, const Progress& progress);

  /// The cells of the next record, unquoted but not trimmed; valid until the next call. Empty lines are skipped.
  /// False at the end. Errors: io; bad_data when no line end comes for 64 MiB.
  Result<bool> next(std::vector<std::string_view>& cells);

  /// Line on which the last record begins, from 1.
  std::uint64_t line_number() const { return record_line_; }
  /// Whether a line end followed the last record: not so for the last one of a torn file.
  bool terminated() const { return terminated_; }
  std::uint64_t stray_quotes() const { return stray_quotes_; }
  std::uint64_t skipped_long() const { return skipped_long_; }
  const TextDecoder& decoder() const { return decoder_; }

 private:
  enum class Scan : std::uint8_t { record, need_more, stray_quote };
  struct Cell {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool escaped = false;  // holds doubled quotes
  };

  Result<bool> refill();
  Result<void> skip_long_line();
  Scan scan(bool honour_quotes);
  Scan scan_quoted(std::size_t& position, Cell& cell) const;
  void publish(std::vector<std::string_view>& cells);
  bool is_blank_record() const;

  ByteSource& source_;
  CsvOptions options_;
  const Progress& progress_;
  TextDecoder decoder_;
  std::string buffer_;
  std::string raw_;
  std::size_t begin_ = 0;  // of the next record in buffer_
  std::size_t record_end_ = 0;
  std::vector<Cell> found_;
  std::uint64_t line_ = 1;
  std::uint64_t record_line_ = 0;
  std::uint64_t lines_in_record_ = 0;
  std::uint64_t stray_quotes_ = 0;
  std::uint64_t skipped_long_ = 0;
  bool started_ = false;
  bool at_end_ = false;
  bool terminated_ = false;
};

}  // namespace kernwatt::readers
