// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers::kineto {

/// A stretch of the document in memory, moved forward on demand. Indices are positions in the stretch.
class TextWindow {
 public:
  TextWindow(ByteSource& source, const Progress& progress);

  const char* data() const { return buffer_.data(); }
  std::size_t size() const { return size_; }
  /// At least 64 spaces follow the last byte once this is true.
  bool at_end() const { return at_end_; }
  std::string_view view(std::size_t begin, std::size_t end) const { return {buffer_.data() + begin, end - begin}; }

  /// Forgets the bytes before index `keep_from` (so all indices become smaller by it) and reads more. False when
  /// nothing more came. Views into the window become invalid. Errors: io.
  Result<bool> advance(std::size_t keep_from);

  std::uint64_t offset_of(std::size_t index) const { return offset_ + index; }
  /// Line of a byte, from 1.
  std::uint64_t line_of(std::size_t index) const;

 private:
  ByteSource& source_;
  const Progress& progress_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t lines_before_ = 0;
  bool at_end_ = false;
};

}  // namespace kernwatt::readers::kineto
