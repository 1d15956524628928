// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"

namespace kernwatt::readers {

/// One file in an archive.
struct ArchiveMember {
  std::string name;                    ///< its path there, made printable
  std::unique_ptr<ByteSource> source;  ///< its bytes, decompressed if it is compressed itself; empty when not readable
  std::string why_not;                 ///< why source is empty: "is empty", "is a sparse file", …
};

/// The files of a .tar or .zip, one after the other, in bounded memory: nothing is unpacked to the disk, and paths are
/// names only. Folders, links, and what macOS adds (`._name`, `.DS_Store`) are left out.
class ArchiveReader {
 public:
  /// `source` has the archive's bytes (Archives::admit) and must outlive the reader.
  static Result<ArchiveReader> open(ByteSource& source);

  /// The next file; empty at the end. Its source is good until the next call. Errors: io; bad_data when the archive is
  /// damaged before its first file.
  Result<std::optional<ArchiveMember>> next();
  /// What was wrong with the archive, a sentence; empty when nothing is. Final once next() gave its last file.
  std::string damage() const;

  ArchiveReader(ArchiveReader&& other) noexcept;
  ArchiveReader& operator=(ArchiveReader&& other) noexcept;
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;
  ~ArchiveReader();

 private:
  struct State;
  explicit ArchiveReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernwatt::readers
