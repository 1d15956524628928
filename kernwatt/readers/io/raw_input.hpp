// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/unique_handle.hpp"
#include "kernwatt/readers/io/decoder.hpp"

namespace kernwatt::readers {

/// A file or a string as a RawInput, with the first bytes to look at. bytes_read() may be called from any thread.
class CountedInput : public RawInput {
 public:
  /// The first bytes (up to 1 KiB); read() gives them again. Call before the first read(). Errors: io.
  Result<std::string_view> head();
  Result<std::size_t> read(std::span<char> into) final;
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  virtual std::optional<std::uint64_t> size() const = 0;

 protected:
  virtual Result<std::size_t> read_some(std::span<char> into) = 0;

 private:
  std::string head_;
  std::size_t head_given_ = 0;
  std::atomic<std::uint64_t> bytes_read_{0};
};

struct FileDescriptorTraits {
  using Handle = int;
  static Handle invalid() { return -1; }
  static void close(Handle handle);
};

class FileInput final : public CountedInput {
 public:
  /// Errors: io.
  static Result<std::unique_ptr<FileInput>> open(const std::filesystem::path& path);
  /// Empty for pipes and devices.
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  Result<std::size_t> read_some(std::span<char> into) override;
  UniqueHandle<FileDescriptorTraits> file_;
  std::optional<std::uint64_t> size_;
};

class MemoryInput final : public CountedInput {
 public:
  explicit MemoryInput(std::string bytes) : bytes_(std::move(bytes)) {}
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 private:
  Result<std::size_t> read_some(std::span<char> into) override;
  std::string bytes_;
  std::size_t given_ = 0;
};

}  // namespace kernwatt::readers
