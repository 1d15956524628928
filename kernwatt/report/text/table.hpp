// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernwatt/report/text/style.hpp"

/// Private to this folder.
namespace kernwatt::report {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
  std::size_t gap = 2;  ///< spaces before it
};

/// Cells in columns as wide as their widest text. The last column takes what is left of the line.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  /// Fills the last cell of the line that was added as number `line`, when the widths of the others are known.
  void set_last(std::size_t line, std::string text) { lines_[line].back() = std::move(text); }
  std::size_t size() const { return lines_.size(); }
  /// A thin line under the numbers.
  void add_rule() { lines_.emplace_back(); }
  /// A line of text of its own between the others; it takes no part in the columns.
  void add_note(std::string text) { lines_.push_back({std::move(text)}); }
  /// Columns of the terminal that the last column may use in a line of `width`.
  std::size_t last_column_width(std::size_t width) const;
  std::string render(const Style& style) const;

 private:
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace kernwatt::report
