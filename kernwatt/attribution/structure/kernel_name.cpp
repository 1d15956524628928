// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::string_view anonymous = "(anonymous namespace)";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Position behind the template argument list that opens at `open`. Comparisons such as "(16)>(0)" stand in
// parentheses, so only a '>' outside them closes.
std::size_t behind_template(std::string_view text, std::size_t open) {
  int angles = 0;
  int parentheses = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (parentheses > 0) continue;
    if (c == '<') ++angles;
    if (c == '>' && --angles == 0) return i + 1;
  }
  return text.size();  // cut off: everything behind belongs to the arguments
}

// The name without template arguments and parameters: "void at::native::foo".
std::string skeleton(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '<') {
      i = behind_template(text, i);
    } else if (text.substr(i).starts_with(anonymous)) {
      i += anonymous.size();
    } else if (text[i] == '(') {
      break;
    } else {
      out += text[i++];
    }
  }
  return out;
}

}  // namespace

KernelName prepare_kernel_name(std::string_view name) {
  KernelName out{lower(name), {}};
  if (out.whole.starts_with("_z")) {
    out.function = out.whole;
    return out;
  }
  std::string bare = skeleton(out.whole);
  while (!bare.empty() && bare.back() == ' ') bare.pop_back();
  const std::size_t cut = bare.find_last_of(": ");
  out.function = cut == std::string::npos ? bare : bare.substr(cut + 1);
  if (out.function.empty()) out.function = out.whole;
  return out;
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace kernwatt::attribution
