// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/text_window.hpp"

#include <cstring>

#include "kernwatt/readers/kineto/structural_scan.hpp"

namespace kernwatt::readers::kineto {

namespace {
constexpr std::size_t read_size = std::size_t{256} << 10U;  // stays in the second-level cache while it is parsed
}

TextWindow::TextWindow(ByteSource& source, const Progress& progress)
    : source_(source), progress_(progress), buffer_(read_size + scan_block_size) {}

Result<bool> TextWindow::advance(std::size_t keep_from) {
  lines_before_ += count_newlines(view(0, keep_from));
  offset_ += keep_from;
  size_ -= keep_from;
  if (keep_from > 0 && size_ > 0) std::memmove(buffer_.data(), buffer_.data() + keep_from, size_);
  if (buffer_.size() < size_ + read_size / 2 + scan_block_size) {
    buffer_.resize(size_ + size_ / 2 + read_size + scan_block_size);
  }
  std::size_t got = 0;
  if (!at_end_) {
    KERNWATT_TRY(got, source_.read(std::span(buffer_).subspan(size_, buffer_.size() - size_ - scan_block_size)));
    size_ += got;
    at_end_ = got == 0;
  }
  std::memset(buffer_.data() + size_, ' ', scan_block_size);
  if (progress_) progress_(source_.bytes_read_from_file(), source_.file_size());
  return got > 0;
}

std::uint64_t TextWindow::line_of(std::size_t index) const {
  return lines_before_ + 1 + count_newlines(view(0, index));
}

}  // namespace kernwatt::readers::kineto
