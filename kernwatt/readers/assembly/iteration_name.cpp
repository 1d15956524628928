// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/iteration_name.hpp"

#include <algorithm>
#include <array>

namespace kernwatt::readers::assembly {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_separator(char byte) { return std::string_view(" \t_-:#=.,/()[]").find(byte) != std::string_view::npos; }

constexpr std::array counted{std::string_view("iteration"), std::string_view("iter"), std::string_view("step")};
/// What people put before the word; anything else ("copy step 3") is a range of their own.
constexpr std::array before_it{std::string_view("train"),    std::string_view("training"),
                               std::string_view("profiler"), std::string_view("global"),
                               std::string_view("decode"),   std::string_view("generation"),
                               std::string_view("inference")};

/// Whether the text is one of the words above, with or without a word before: "trainstep", "train step".
bool names_an_iteration(std::string_view text) {
  for (const std::string_view word : counted) {
    if (!text.ends_with(word)) continue;
    std::string_view front = text.substr(0, text.size() - word.size());
    if (front.ends_with(' ')) front.remove_suffix(1);
    return front.empty() || std::find(before_it.begin(), before_it.end(), front) != before_it.end();
  }
  return false;
}

}  // namespace

bool is_profiler_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

std::optional<std::string> iteration_family(std::string_view name) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return std::nullopt;
  while (!name.empty() && is_separator(name.back())) name.remove_suffix(1);
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  if (digits == 0 || digits == name.size()) return std::nullopt;
  name.remove_suffix(digits);
  std::string family;
  for (const char byte : name) {
    const char small = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    if (!is_separator(small)) {
      family += small;
    } else if (!family.empty() && family.back() != ' ') {
      family += ' ';
    }
  }
  while (!family.empty() && family.back() == ' ') family.pop_back();
  if (!names_an_iteration(family)) return std::nullopt;
  return family;
}

}  // namespace kernwatt::readers::assembly
