// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers {

/// The lines of a text, as UTF-8 whatever it was (a PowerShell redirection makes UTF-16), without line ends. Of a line
/// longer than a megabyte only its beginning is given.
class TextLines {
 public:
  TextLines(ByteSource& source, const Progress& progress) : source_(source), progress_(progress) {}

  /// The next line, valid until the next call; false at the end. Errors: io.
  Result<bool> next(std::string_view& line);
  /// Calls use(line) for each line that is left. Errors: io.
  template <class Use>
  Status each(Use use) {
    while (true) {
      std::string_view line;
      KERNWATT_TRY(const bool more, next(line));
      if (!more) return {};
      use(line);
    }
  }
  std::uint64_t number() const { return number_; }
  /// Whether a line end followed the last line.
  bool terminated() const { return terminated_; }
  std::uint64_t long_lines() const { return long_lines_; }
  const TextDecoder& decoder() const { return decoder_; }

 private:
  Result<bool> refill();

  ByteSource& source_;
  const Progress& progress_;
  TextDecoder decoder_;
  std::string raw_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t long_lines_ = 0;
  bool started_ = false;
  bool at_end_ = false;
  bool terminated_ = false;
  bool skipping_ = false;  // over the tail of a line that was too long
};

}  // namespace kernwatt::readers
