// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

/// Finds damage inside values, which SQLite itself does not see. Not a protection against forgery.
namespace kernwatt::run {

/// Hash of one record's values, in their order.
class RecordHash {
 public:
  explicit RecordHash(std::string_view table) { add(std::as_bytes(std::span(table))); }
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 32U;
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) add(load(bytes.first(8)));
    add(load(bytes));
  }
  std::uint64_t value() const { return state_; }

 private:
  static std::uint64_t load(std::span<const std::byte> bytes) {
    std::uint64_t word = 0;
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
    return word;
  }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Sum over the records, so that the order in which tables are read does not matter.
class Checksum {
 public:
  void add(const RecordHash& record) { sum_ += record.value(); }
  std::int64_t value() const { return static_cast<std::int64_t>(sum_); }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace kernwatt::run
