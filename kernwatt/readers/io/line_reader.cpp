// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace kernwatt::readers {

namespace {
constexpr std::size_t read_size = std::size_t{64} << 10U;
}

LineReader::LineReader(ByteSource& source, std::size_t longest_line)
    : source_(source), longest_line_(longest_line), buffer_(longest_line + read_size) {}

Result<bool> LineReader::refill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  KERNWATT_TRY(const std::size_t got, source_.read(std::span(buffer_).subspan(end_)));
  end_ += got;
  at_end_ = got == 0;
  return got > 0;
}

std::string_view LineReader::take(std::size_t length, std::size_t separator) {
  std::string_view line(buffer_.data() + begin_, length);
  begin_ += length + separator;
  begin_offset_ += length + separator;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Result<bool> LineReader::next(std::string_view& line) {
  while (cut_ && !terminated_) {  // skip the tail of a line that was too long
    const auto* newline = static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
    const std::size_t skip =
        newline == nullptr ? end_ - begin_ : static_cast<std::size_t>(newline - buffer_.data()) + 1 - begin_;
    begin_ += skip;
    begin_offset_ += skip;
    if (newline != nullptr) break;
    KERNWATT_TRY(const bool more, refill());
    if (!more) return false;
  }
  cut_ = terminated_ = false;
  line_offset_ = begin_offset_;
  std::size_t searched = 0;
  for (;;) {
    const std::size_t have = end_ - begin_;
    const std::size_t reach = std::min(have, longest_line_ + 1);  // a line end behind it is too far
    const auto* from = buffer_.data() + begin_;
    if (const auto* newline = static_cast<const char*>(std::memchr(from + searched, '\n', reach - searched))) {
      terminated_ = true;
      line = take(static_cast<std::size_t>(newline - from), 1);
      break;
    }
    searched = reach;
    if (have > longest_line_) {
      cut_ = true;
      line = take(longest_line_, 0);
      break;
    }
    KERNWATT_TRY(const bool more, refill());
    if (more) continue;
    if (have == 0) return false;
    line = take(have, 0);
    break;
  }
  ++line_number_;
  return true;
}

}  // namespace kernwatt::readers
