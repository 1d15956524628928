// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kernwatt::run {

/// Index of a name in a NameTable.
using NameId = std::uint32_t;
/// "No such index", for every index type of this folder.
inline constexpr std::uint32_t none = 0xffff'ffffU;

/// Keeps each distinct string once. Millions of launches share a few hundred names.
/// Names are valid UTF-8 (readers repair what is not). Ids are dense from 0. One writer at a time.
class NameTable {
 public:
  NameId intern(std::string_view name) {
    if (const auto found = index_.find(name); found != index_.end()) return found->second;
    const auto id = static_cast<NameId>(names_.size());
    index_.emplace(names_.emplace_back(name), id);
    return id;
  }
  /// Precondition: id < size(). The view lives as long as the table, also when it is moved.
  std::string_view at(NameId id) const { return names_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }

  NameTable() = default;
  NameTable(NameTable&&) = default;
  NameTable& operator=(NameTable&&) = default;
  NameTable(const NameTable&) = delete;  // the index points into names_
  NameTable& operator=(const NameTable&) = delete;

 private:
  std::deque<std::string> names_;  // a deque, so that the index's views stay valid
  std::unordered_map<std::string_view, NameId> index_;
};

}  // namespace kernwatt::run
