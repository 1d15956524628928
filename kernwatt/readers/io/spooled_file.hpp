// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/core/unique_handle.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/io/raw_input.hpp"

namespace kernwatt::readers {

/// A temporary file with what is left of a stream, for readers that must seek. Deleted with the object, or as soon as
/// forget() is called: who has it open may go on reading. Move-only.
class SpooledFile {
 public:
  /// Writes `begun` and then the rest of `source` into a file in the system's temporary folder.
  /// Errors: io (no room: at most half of what is free is used; cannot be written).
  static Result<SpooledFile> create(std::string_view begun, ByteSource& source);

  SpooledFile(SpooledFile&& other) noexcept;
  SpooledFile& operator=(SpooledFile&& other) noexcept;
  SpooledFile(const SpooledFile&) = delete;
  SpooledFile& operator=(const SpooledFile&) = delete;
  ~SpooledFile() { forget(); }

  const std::filesystem::path& path() const { return path_; }
  void forget() noexcept;

 private:
  explicit SpooledFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty once forgotten or moved from
};

}  // namespace kernwatt::readers
