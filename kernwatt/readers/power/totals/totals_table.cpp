// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/totals/totals_table.hpp"

#include <algorithm>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

bool TotalsRow::take(std::span<const std::string_view> cells) {
  // A comma behind the last cell makes no cell.
  if (cells.size() == names_.size() + 1 && trim(cells.back()).empty()) cells = cells.first(names_.size());
  cells_ = cells;
  return cells.size() == names_.size();
}

std::optional<std::size_t> TotalsRow::place(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::string_view TotalsRow::text(std::string_view name) const {
  const auto at = place(name);
  return at && *at < cells_.size() ? trim(cells_[*at]) : std::string_view{};
}

std::optional<double> TotalsRow::number(std::string_view name) const { return parse_double(text(name)); }

}  // namespace kernwatt::readers
