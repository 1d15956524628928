// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kernwatt {

/// Does the text give an amount of joules or watts ("3.1 kJ", "0 W")? By hand: std::regex does not compile under GCC's
/// sanitizers with warnings as errors.
inline bool mentions_energy(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9' || text[i + 1] != ' ') continue;
    std::string_view unit = text.substr(i + 2, 4);
    for (const std::string_view prefix : {"k", "m", "M", "G", "n", "µ"}) {
      if (!unit.starts_with(prefix)) continue;
      unit.remove_prefix(prefix.size());
      break;
    }
    const bool energy = unit.starts_with('J') || unit.starts_with('W');
    if (energy && (unit.size() == 1 || !is_letter(unit[1]))) return true;
  }
  return false;
}

}  // namespace kernwatt
