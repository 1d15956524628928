// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/core/result.hpp"

namespace kernwatt::readers {

enum class Compression : std::uint8_t { none, gzip, zstd };
/// "plain", "gzip", "zstd"
std::string_view to_string(Compression compression);

class CountedInput;

/// Whether the first bytes (512 do) are those of a .tar or a .zip.
bool is_archive(std::string_view head);

/// What to do with a file that holds others.
enum class Archives : std::uint8_t {
  refuse,  ///< with advice
  admit    ///< give the archive's own bytes (.tar decompressed, .zip as it is)
};

/// The bytes of a file, decompressed when its first bytes say gzip (all members) or zstd (all frames), in bounded
/// memory. Of a regular file, decompression runs ahead on its own thread. A damaged or torn tail ends the stream:
/// what came before is good, and damage() says what was lost. One thread at a time.
class ByteSource {
 public:
  /// Errors: io (missing, a directory, not readable), bad_data (empty), unsupported (xz, bzip2, zip, tar, …).
  static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path,
                                                  Archives archives = Archives::refuse);
  /// The same over bytes in memory; used by tests and fuzzers. Errors: as open, except io.
  static Result<std::unique_ptr<ByteSource>> from_memory(std::string bytes, Archives archives = Archives::refuse);
  /// The same over a part of something else, such as a member of an archive. Decompressed on the reader's thread.
  /// Errors: as open.
  static Result<std::unique_ptr<ByteSource>> from_input(std::unique_ptr<CountedInput> input);

  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to into.size() bytes; 0 only at the end (or for an empty span). Errors: io.
  Result<std::size_t> read(std::span<char> into);
  /// The next bytes, at most `count` of them, without consuming any: fewer only near the end. Valid until the next
  /// call. Meant for guessing a format from the first kilobytes. Errors: io.
  Result<std::string_view> peek(std::size_t count);

  Compression compression() const;
  /// Bytes taken from the file so far (compressed ones, where compressed), and its size; empty for a pipe.
  std::uint64_t bytes_read_from_file() const;
  std::optional<std::uint64_t> file_size() const;

  /// What is wrong with the compressed data, a sentence; empty when nothing is. Final once read() has returned 0.
  std::string damage() const;
  bool truncated() const { return !damage().empty(); }
  /// Adds damage(), if any, to the ledger as the warning "input.damaged". Call it after the last read.
  void report_damage(QualityLedger& quality) const;

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);
  static Result<std::unique_ptr<ByteSource>> make(std::unique_ptr<State> state, bool read_ahead, Archives archives);
  std::unique_ptr<State> state_;
};

}  // namespace kernwatt::readers
