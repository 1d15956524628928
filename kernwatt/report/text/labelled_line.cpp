// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/labelled_line.hpp"

#include <fmt/format.h>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {

std::string labelled(const Style& style, std::string_view label, std::string_view text, std::size_t width) {
  constexpr std::size_t label_width = 12;
  std::string out;
  for (const std::string& line : wrap(text, width - label_width - 2))
    out += "  " + style.dim(fmt::format("{:<{}}", out.empty() ? label : "", label_width)) + line + "\n";
  return out;
}

}  // namespace kernwatt::report
