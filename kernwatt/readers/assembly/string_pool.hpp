// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kernwatt::readers::assembly {

/// Keeps each distinct string of a trace once; made for tens of millions of look-ups of few distinct strings.
/// Ids are dense from 0; id 0 is the empty string.
class StringPool {
 public:
  StringPool();
  std::uint32_t intern(std::string_view text);
  std::string_view at(std::uint32_t id) const { return strings_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(strings_.size()); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0: free
  };
  void grow();
  std::string_view store(std::string_view text);

  std::vector<Slot> slots_;
  std::vector<std::string_view> strings_;
  std::vector<std::uint32_t> hashes_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
};

}  // namespace kernwatt::readers::assembly
