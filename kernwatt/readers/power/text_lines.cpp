// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {
constexpr std::size_t block_size = std::size_t{256} << 10U;
constexpr std::size_t longest_line = std::size_t{1} << 20U;
}  // namespace

Result<bool> TextLines::refill() {
  if (at_end_) return false;
  if (!started_) {
    KERNWATT_TRY(const std::string_view head, source_.peek(4096));
    decoder_.detect(head);
    started_ = true;
  }
  buffer_.erase(0, begin_);
  begin_ = 0;
  raw_.resize(block_size);
  KERNWATT_TRY(const std::size_t count, source_.read(raw_));
  decoder_.decode(std::string_view(raw_).substr(0, count), buffer_);
  at_end_ = count == 0;
  if (progress_) progress_(source_.bytes_read_from_file(), source_.file_size());
  return true;
}

Result<bool> TextLines::next(std::string_view& line) {
  while (true) {
    const std::size_t end = buffer_.find('\n', begin_);
    const bool found = end != std::string::npos;
    const bool too_long = !found && buffer_.size() - begin_ > longest_line;
    if (!found && !too_long && !at_end_) {
      KERNWATT_CHECK(refill());
      continue;
    }
    if (!found && begin_ == buffer_.size()) return false;
    const std::size_t stop = found ? end : buffer_.size();
    line = std::string_view(buffer_).substr(begin_, stop - begin_);
    begin_ = found ? end + 1 : stop;
    const bool tail = skipping_;
    skipping_ = too_long;
    if (tail) continue;
    terminated_ = found;
    if (too_long) ++long_lines_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }
}

}  // namespace kernwatt::readers
