// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernwatt/run/trace.hpp"

/// What rows of a kernel CSV have in common, found without making a string for each row. Private to this folder.
namespace kernwatt::readers {

/// A class as its cells spell it. The name's cell is compared by id, so that a row of a known class costs no string.
struct ClassKey {
  run::NameId name = run::none;
  run::LaunchKind kind = run::LaunchKind::kernel;
  std::string shape;  // grid|block|registers|shared memory, as written
  bool operator==(const ClassKey&) const = default;
};

struct ClassKeyHash {
  std::size_t operator()(const ClassKey& key) const {
    return std::hash<std::string>{}(key.shape) * 31 + std::size_t{key.name} * 4 + static_cast<std::size_t>(key.kind);
  }
};

/// Finds the index of a text that was seen before without making a string of it; the last one seen is tried first.
class TextIndex {
 public:
  template <class Make>
  std::uint32_t find(std::string_view text, Make make) {
    if (known_ && text == last_text_) return last_;
    auto found = ids_.find(text);
    if (found == ids_.end()) found = ids_.emplace(std::string(text), make()).first;
    last_text_ = found->first;
    last_ = found->second;
    known_ = true;
    return last_;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::string_view last_text_;
  std::uint32_t last_ = 0;
  bool known_ = false;
};

}  // namespace kernwatt::readers
