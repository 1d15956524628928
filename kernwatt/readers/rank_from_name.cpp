// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/rank_from_name.hpp"

#include <array>
#include <charconv>
#include <string>
#include <system_error>

namespace kernwatt::readers {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// The number behind the word, where the word does not end another one ("frank3").
std::optional<int> number_behind(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at > 0 && is_letter(text[at - 1])) continue;
    std::string_view rest = text.substr(at + word.size());
    if (!rest.empty() && std::string_view("_-.=[").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || end == rest.data() || number < 0) continue;
    return number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> rank_from_name(std::string_view file_name) {
  if (const std::size_t slash = file_name.rfind('/'); slash != std::string_view::npos)
    file_name.remove_prefix(slash + 1);
  std::string small(file_name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view word : {"rank", "worker"}) {
    if (const auto number = number_behind(small, word)) return number;
  }
  return std::nullopt;
}

}  // namespace kernwatt::readers
