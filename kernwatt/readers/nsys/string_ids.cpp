// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/string_ids.hpp"

#include <array>
#include <string>

#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers::nsys {
namespace {

/// Whether a table by id should have room for this one: ids are nearly consecutive, but a file may say anything.
bool is_dense(std::int64_t id, std::size_t seen) {
  constexpr std::size_t slack = 65'536;
  return id >= 0 && static_cast<std::uint64_t>(id) < seen * 4 + slack;
}

}  // namespace

StringIds::StringIds(NsysDatabase& database) {
  constexpr std::array columns{std::string_view("id"), std::string_view("value"), std::string_view("_id_")};
  constexpr std::size_t longest = 64 << 10;
  const Table* table = database.find("StringIds");
  if (table == nullptr) table = database.find("StringTable");  // as nvprof called it
  TableScan scan(database, table, columns);
  while (scan.next()) {
    const auto id = scan.has(0) ? scan.integer(0) : scan.integer(2);
    const auto text = scan.text(1);
    if (!id || !text || text->size() > longest) continue;
    const std::uint32_t stored = texts_.intern(*text);
    if (!is_dense(*id, scan.rows())) {
      sparse_.emplace(*id, stored);
      continue;
    }
    const auto index = static_cast<std::size_t>(*id);
    if (index >= dense_.size()) dense_.resize(index + 1 + index / 2);
    dense_[index] = stored;
  }
}

std::string_view StringIds::at(std::int64_t id) const {
  if (id >= 0 && static_cast<std::uint64_t>(id) < dense_.size()) {
    if (const std::uint32_t text = dense_[static_cast<std::size_t>(id)]; text != 0) return texts_.at(text);
  }
  const auto found = sparse_.find(id);
  return found != sparse_.end() ? texts_.at(found->second) : std::string_view();
}

std::uint32_t NameColumn::of_text(std::string_view text) {
  if (text.empty()) return 0;
  if (is_visible_text(text)) return names_.intern(text);
  ++repaired_;
  return names_.intern(visible_text(text));
}

std::uint32_t NameColumn::of_id(std::int64_t id) {
  constexpr std::uint32_t unknown = run::none;
  if (!is_dense(id, dense_.size())) {
    const auto [found, is_new] = sparse_.try_emplace(id, 0);
    if (is_new) found->second = of_text(ids_.at(id));
    return found->second;
  }
  const auto index = static_cast<std::size_t>(id);
  if (index >= dense_.size()) dense_.resize(index + 1, unknown);
  if (dense_[index] == unknown) dense_[index] = of_text(ids_.at(id));
  return dense_[index];
}

std::uint32_t NameColumn::read(const TableScan& scan, std::size_t column) {
  if (!scan.has(column)) return 0;
  if (const auto id = scan.integer(column)) {
    if (const std::uint32_t name = of_id(*id); name != 0) return name;
  }
  const auto text = scan.text(column);
  return text ? of_text(*text) : 0;
}

}  // namespace kernwatt::readers::nsys
