// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "kernwatt/core/result.hpp"

namespace kernwatt::run {

/// A file that appears whole or not at all: it is written under another name in the same folder, flushed to the disk
/// and then given its name. Destroyed without commit(), it leaves nothing behind. Move-only.
class NewFile {
 public:
  /// Reserves a name beside `path`; a symbolic link is followed, so that its target is replaced and not the link.
  /// Errors: invalid_argument if `path` exists and `overwrite` is false, or is a folder, a device or a pipe;
  /// io if the folder cannot be written.
  static Result<NewFile> create(const std::filesystem::path& path, bool overwrite);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  /// Where to write until commit().
  const std::filesystem::path& temporary_path() const { return temporary_; }
  /// Appends `text` to the temporary file. Errors: io, with the system's reason.
  Status write(std::string_view text);
  /// Flushes and gives the file its name. Errors: io; invalid_argument if the name was taken meanwhile.
  Status commit();

 private:
  NewFile(std::filesystem::path target, std::filesystem::path temporary, int descriptor, bool overwrite)
      : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor), overwrite_(overwrite) {}
  void discard() noexcept;

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty once committed or moved from
  int descriptor_ = -1;
  bool overwrite_ = false;
};

}  // namespace kernwatt::run
