// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/dmon/words.hpp"

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

std::vector<std::string_view> words_of_row(std::string_view line) {
  std::vector<std::string_view> words;
  line = trim(line);
  if (line.find(',') != std::string_view::npos) {
    while (true) {
      const std::size_t comma = line.find(',');
      words.push_back(trim(line.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }
  while (!line.empty()) {
    const std::size_t end = line.find_first_of(" \t");
    words.push_back(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view{} : trim(line.substr(end));
  }
  return words;
}

}  // namespace kernwatt::readers
