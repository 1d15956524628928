// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kernwatt::report {

std::string bar(double share, std::size_t width) {
  constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return "";
  const auto eighths = std::max(1L, std::lround(std::min(share, 1.0) * 8 * static_cast<double>(width)));
  std::string text;
  for (long i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[static_cast<std::size_t>(eighths % 8)];
  return text;
}

}  // namespace kernwatt::report
