// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/assembly/string_pool.hpp"
#include "kernwatt/readers/nsys/nsys_database.hpp"
#include "kernwatt/run/names.hpp"

namespace kernwatt::readers::nsys {

/// The table StringIds: texts by number. Very long ones (what the program printed is kept there too) are left out.
class StringIds {
 public:
  explicit StringIds(NsysDatabase& database);
  /// Empty when the id is not in the table.
  std::string_view at(std::int64_t id) const;

 private:
  assembly::StringPool texts_;
  std::vector<std::uint32_t> dense_;  // by id, as far as ids follow each other; 0: none
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
};

/// The names of one column: numbers of StringIds, or the names themselves, each made printable once.
class NameColumn {
 public:
  NameColumn(const StringIds& ids, assembly::StringPool& names) : ids_(ids), names_(names) {}
  /// The name in a row's cell, as an id of the pool; 0 when there is none.
  std::uint32_t read(const TableScan& scan, std::size_t column);
  /// As read(), by number.
  std::uint32_t of_id(std::int64_t id);
  std::uint32_t of_text(std::string_view text);
  std::uint64_t repaired() const { return repaired_; }

 private:
  const StringIds& ids_;
  assembly::StringPool& names_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
  std::uint64_t repaired_ = 0;
};

}  // namespace kernwatt::readers::nsys
