// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernwatt::report {
namespace {

constexpr char32_t replacement = 0xfffd;

struct CodeRange {
  char32_t first;
  char32_t last;
};

// The ranges that matter on terminals, from the Unicode files EastAsianWidth.txt (W, F) and UnicodeData.txt (Mn, Me,
// Cf).
constexpr std::array wide_ranges{
    CodeRange{0x1100, 0x115f},   CodeRange{0x231a, 0x231b},   CodeRange{0x2329, 0x232a},   CodeRange{0x23e9, 0x23ec},
    CodeRange{0x25fd, 0x25fe},   CodeRange{0x2614, 0x2615},   CodeRange{0x2648, 0x2653},   CodeRange{0x26a1, 0x26a1},
    CodeRange{0x2705, 0x2705},   CodeRange{0x274c, 0x274c},   CodeRange{0x2e80, 0x303e},   CodeRange{0x3041, 0x33ff},
    CodeRange{0x3400, 0x4dbf},   CodeRange{0x4e00, 0x9fff},   CodeRange{0xa000, 0xa4cf},   CodeRange{0xa960, 0xa97f},
    CodeRange{0xac00, 0xd7a3},   CodeRange{0xf900, 0xfaff},   CodeRange{0xfe30, 0xfe6f},   CodeRange{0xff00, 0xff60},
    CodeRange{0xffe0, 0xffe6},   CodeRange{0x16fe0, 0x18aff}, CodeRange{0x1b000, 0x1b2ff}, CodeRange{0x1f300, 0x1f64f},
    CodeRange{0x1f680, 0x1f6ff}, CodeRange{0x1f7e0, 0x1f7eb}, CodeRange{0x1f900, 0x1f9ff}, CodeRange{0x1fa70, 0x1faff},
    CodeRange{0x20000, 0x3fffd}};
constexpr std::array zero_width_ranges{
    CodeRange{0x0300, 0x036f}, CodeRange{0x0483, 0x0489},  CodeRange{0x0591, 0x05bd}, CodeRange{0x0610, 0x061a},
    CodeRange{0x064b, 0x065f}, CodeRange{0x06d6, 0x06dc},  CodeRange{0x0900, 0x0902}, CodeRange{0x093c, 0x093c},
    CodeRange{0x0941, 0x0948}, CodeRange{0x0e31, 0x0e31},  CodeRange{0x0e34, 0x0e3a}, CodeRange{0x1ab0, 0x1aff},
    CodeRange{0x1dc0, 0x1dff}, CodeRange{0x20d0, 0x20ff},  CodeRange{0x302a, 0x302d}, CodeRange{0xfe00, 0xfe0f},
    CodeRange{0xfe20, 0xfe2f}, CodeRange{0xe0100, 0xe01ef}};
// Controls, and the characters that reorder or hide text (a name could imitate another).
constexpr std::array hidden_ranges{CodeRange{0x00, 0x1f},      CodeRange{0x7f, 0x9f},     CodeRange{0xad, 0xad},
                                   CodeRange{0x061c, 0x061c},  CodeRange{0x200b, 0x200f}, CodeRange{0x2028, 0x202e},
                                   CodeRange{0x2060, 0x206f},  CodeRange{0xfeff, 0xfeff}, CodeRange{0xfff9, 0xfffb},
                                   CodeRange{0xe0000, 0xe007f}};

template <std::size_t N>
bool contains(const std::array<CodeRange, N>& ranges, char32_t code) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code, [](char32_t c, const CodeRange& r) { return c < r.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

std::size_t width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(zero_width_ranges, code)) return 0;
  return contains(wide_ranges, code) ? 2 : 1;
}

/// Length of the sequence that a lead byte announces, and the smallest code point that may need it; 0: no lead byte.
struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t smallest;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xc2 && byte <= 0xdf) return {2, static_cast<char32_t>(byte & 0x1fU), 0x80};
  if (byte >= 0xe0 && byte <= 0xef) return {3, static_cast<char32_t>(byte & 0x0fU), 0x800};
  if (byte >= 0xf0 && byte <= 0xf4) return {4, static_cast<char32_t>(byte & 0x07U), 0x10000};
  return {0, 0, 0};
}

std::string escaped(const Character& character) {
  switch (character.code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto code = static_cast<std::uint32_t>(character.code);
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:04x}}}", code);
}

/// The longest beginning of at most `width` columns.
std::string_view head_of(std::string_view text, std::size_t width) {
  std::string_view rest = text;
  std::size_t used = 0;
  while (!rest.empty()) {
    std::string_view next = rest;
    used += width_of(take_character(next).code);
    if (used > width) break;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

std::string_view tail_of(std::string_view text, std::size_t width) {
  std::size_t total = display_width(text);
  while (total > width && !text.empty()) total -= width_of(take_character(text).code);
  while (!text.empty()) {  // a combining mark must not lose its base
    std::string_view next = text;
    if (width_of(take_character(next).code) != 0) break;
    text = next;
  }
  return text;
}

constexpr std::array<std::string_view, 11> units{"%", "J", "kJ", "mJ", "W", "s", "ms", "µs", "MHz", "ns", "GB"};

/// Is the word after the space a unit that belongs to the number before it?
bool is_unit_of_number(std::string_view text, std::size_t space) {
  if (space == 0 || text[space - 1] < '0' || text[space - 1] > '9') return false;
  const std::string_view rest = text.substr(space + 1);
  const std::string_view word = rest.substr(0, rest.find_first_of(" ,.;:)"));
  return std::find(units.begin(), units.end(), word) != units.end();
}

}  // namespace

Character take_character(std::string_view& text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  char32_t code = lead.bits;
  std::size_t length = 1;
  for (; length < lead.length && length < text.size(); ++length) {
    const auto byte = static_cast<unsigned char>(text[length]);
    if ((byte & 0xc0U) != 0x80) break;
    code = (code << 6U) | (byte & 0x3fU);
  }
  const bool complete = lead.length != 0 && length == lead.length;
  const bool valid = complete && code >= lead.smallest && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (complete && !valid) length = 1;
  Character character{valid ? code : replacement, text.substr(0, length), valid};
  text.remove_prefix(length);
  return character;
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const Character character = take_character(text);
    repaired += character.valid ? character.bytes : std::string_view("\xef\xbf\xbd");
  }
  return repaired;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_character(text).code);
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = take_character(text);
    if (!character.valid) {
      for (const char byte : character.bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else if (contains(hidden_ranges, character.code)) {
      shown += escaped(character);
    } else {
      shown += character.bytes;
    }
  }
  return shown;
}

std::string elide_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t tail = (width - 1) * 2 / 5;
  return std::string(head_of(text, width - 1 - tail)) + "…" + std::string(tail_of(text, tail));
}

std::string elide_end(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  return width == 0 ? "" : std::string(head_of(text, width - 1)) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  const auto add = [&](std::string_view word) {
    const bool fits = display_width(lines.back()) + 1 + display_width(word) <= width;
    if (!lines.back().empty() && !fits) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    while (display_width(word) > width) {
      const std::string_view head = head_of(word, width);
      if (head.empty()) break;
      lines.back() += head;
      lines.emplace_back();
      word.remove_prefix(head.size());
    }
    lines.back() += word;
  };
  while (!text.empty()) {
    std::size_t space = text.find(' ');
    while (space != std::string_view::npos && is_unit_of_number(text, space)) space = text.find(' ', space + 1);
    if (space != 0) add(text.substr(0, space));
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return lines;
}

}  // namespace kernwatt::report
