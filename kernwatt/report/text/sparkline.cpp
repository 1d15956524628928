// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kernwatt::report {
namespace {

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> marks{"_", ".", ":", "-", "=", "+", "*", "#"};

/// Mean of the values that fall into one column.
std::optional<double> column(const std::vector<std::optional<double>>& values, std::size_t i, std::size_t columns) {
  const std::size_t first = i * values.size() / columns;
  const std::size_t last = std::max(first + 1, (i + 1) * values.size() / columns);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t at = first; at < last && at < values.size(); ++at) {
    if (!values[at]) continue;
    sum += *values[at];
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

}  // namespace

std::string sparkline(const std::vector<std::optional<double>>& values, double top, std::size_t width, bool utf8) {
  const auto& levels = utf8 ? blocks : marks;
  const std::size_t columns = std::min(values.size(), width);
  std::string line;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::optional<double> value = column(values, i, columns);
    if (!value) {
      line += ' ';
      continue;
    }
    const double share = top > 0 ? std::clamp(*value / top, 0.0, 1.0) : 0;
    const auto level = static_cast<std::size_t>(std::lround(share * static_cast<double>(levels.size() - 1)));
    line += levels[level];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace kernwatt::report
