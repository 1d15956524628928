// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/table.hpp"

#include <algorithm>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.header));
  for (const auto& cells : lines_)
    for (std::size_t i = 0; cells.size() > 1 && i < cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(cells[i]));
  return widths;
}

std::size_t Table::last_column_width(std::size_t width) const {
  const std::vector<std::size_t> columns = widths();
  std::size_t used = columns_.back().gap;
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) used += columns_[i].gap + columns[i];
  return width > used ? width - used : 0;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t padding = widths[i] - std::min(widths[i], display_width(cells[i]));
    const bool right = columns_[i].align == Align::right;
    line.append(columns_[i].gap + (right ? padding : 0), ' ');
    line += cells[i];
    if (!right) line.append(padding, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string Table::render(const Style& style) const {
  const std::vector<std::size_t> columns = widths();
  std::vector<std::string> header;
  for (const Column& column : columns_) header.push_back(column.header);
  std::string text = style.bold(line(header, columns)) + "\n";
  std::size_t numbers = 0;
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) numbers += columns_[i].gap + columns[i];
  std::string rule(columns_.front().gap, ' ');
  for (std::size_t i = columns_.front().gap; i < numbers; ++i) rule += "─";
  for (const auto& cells : lines_) {
    if (cells.empty()) {
      text += style.dim(rule) + "\n";
    } else {
      text += (cells.size() == 1 ? style.dim(cells.front()) : line(cells, columns)) + "\n";
    }
  }
  return text;
}

}  // namespace kernwatt::report
