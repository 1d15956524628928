// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"

namespace kernwatt::readers {

/// The lines of a ByteSource. Memory is bounded: of a line longer than the limit only its beginning is given.
class LineReader {
 public:
  explicit LineReader(ByteSource& source, std::size_t longest_line = std::size_t{1} << 20U);

  /// The next line without its end (LF or CRLF), valid until the next call; false at the end. Errors: io.
  Result<bool> next(std::string_view& line);

  /// Of the line that next() gave last: its number from 1, its offset in the decompressed bytes, whether its tail
  /// was left out for length, and whether a line end followed it (not so for the last line of a torn file).
  std::uint64_t line_number() const { return line_number_; }
  std::uint64_t byte_offset() const { return line_offset_; }
  bool cut() const { return cut_; }
  bool terminated() const { return terminated_; }

 private:
  Result<bool> refill();
  std::string_view take(std::size_t length, std::size_t separator);

  ByteSource& source_;
  std::size_t longest_line_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t begin_offset_ = 0;  // offset of buffer_[begin_] in the stream
  std::uint64_t line_number_ = 0;
  std::uint64_t line_offset_ = 0;
  bool cut_ = false;
  bool terminated_ = false;
  bool at_end_ = false;
};

}  // namespace kernwatt::readers
