// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/text_repair.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kernwatt::readers::kineto {
namespace {

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

void append_visible(std::string& out, char byte, std::string_view prefix) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out += prefix;
  out += digits[value >> 4U];
  out += digits[value & 0xfU];
}

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
}

/// Length of the valid UTF-8 sequence at `at` whose first byte is above 0x7f; 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const auto second = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
  if (first < 0xc2 || first > 0xf4 || !is_continuation(text, at + 1)) return 0;
  if (first < 0xe0) return 2;
  if (!is_continuation(text, at + 2)) return 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  const bool out_of_range = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return out_of_range || !is_continuation(text, at + 3) ? 0 : 4;
}

constexpr std::array<bool, 256> table_of(std::string_view bytes, bool controls_and_non_ascii) {
  std::array<bool, 256> table{};
  for (const char byte : bytes) table[static_cast<unsigned char>(byte)] = true;
  for (std::size_t byte = 0; controls_and_non_ascii && byte < table.size(); ++byte) {
    table[byte] = table[byte] || byte < 0x20 || byte >= 0x80;
  }
  return table;
}
constexpr std::array<bool, 256> stops_in_string = table_of("\"\\", true);
constexpr std::array<bool, 256> stops_outside = table_of("\"-INni", false);
constexpr std::array<bool, 256> escapes = table_of("\"\\/bfnrt", false);

class Repairer {
 public:
  Repairer(std::string_view text, std::string& out) : text_(text), out_(out) {}
  TextRepairs run() {
    out_.clear();
    while (at_ < text_.size()) {
      if (in_string_) {
        in_string();
      } else {
        outside();
      }
    }
    return repairs_;
  }

 private:
  void copy(std::size_t count) {
    out_.append(text_, at_, count);
    at_ += count;
  }
  /// Copies up to the next byte that may need a decision.
  void copy_run(const std::array<bool, 256>& stops) {
    std::size_t end = at_;
    while (end < text_.size() && !stops[static_cast<unsigned char>(text_[end])]) ++end;
    copy(end - at_);
  }
  void outside() {
    copy_run(stops_outside);
    if (at_ == text_.size()) return;
    const char byte = text_[at_];
    in_string_ = byte == '"';
    constexpr std::array<std::string_view, 5> tokens{"-Infinity", "Infinity", "NaN", "nan", "inf"};
    for (const std::string_view token : tokens) {
      if (byte != token.front() || !text_.substr(at_).starts_with(token)) continue;
      out_ += "null";
      at_ += token.size();
      repairs_.not_numbers = true;
      return;
    }
    copy(1);
  }
  void in_string() {
    copy_run(stops_in_string);
    if (at_ == text_.size()) return;
    const char byte = text_[at_];
    if (byte == '\\') return backslash();
    if (static_cast<unsigned char>(byte) >= 0x80) return non_ascii();
    if (static_cast<unsigned char>(byte) < 0x20) {
      append_visible(out_, byte, "\\\\x");
      repairs_.control_characters = true;
      ++at_;
      return;
    }
    in_string_ = byte != '"';
    copy(1);
  }
  void non_ascii() {
    if (const std::size_t length = utf8_length(text_, at_); length > 0) return copy(length);
    append_visible(out_, text_[at_], "\\\\x");
    repairs_.invalid_utf8 = true;
    ++at_;
  }
  void backslash() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    if (next == 'u') {
      if (const std::size_t length = unicode_escape_length(); length > 0) return copy(length);
    } else if (escapes[static_cast<unsigned char>(next)]) {
      return copy(2);
    }
    out_ += "\\\\";
    repairs_.backslashes = true;
    ++at_;
  }
  /// Of the \uXXXX (or pair of surrogates) at at_; 0 when it is none.
  std::size_t unicode_escape_length() const {
    const auto unit = code_unit(at_);
    if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000)) return 0;
    if (unit < 0xd800 || unit >= 0xe000) return 6;
    const auto low = code_unit(at_ + 6);
    return low >= 0xdc00 && low < 0xe000 ? 12 : 0;
  }
  int code_unit(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return -1;
    int value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char byte = text_[i];
      const int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                        : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                        : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                     : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  std::string_view text_;
  std::string& out_;
  std::size_t at_ = 0;
  bool in_string_ = false;
  TextRepairs repairs_;
};

}  // namespace

TextRepairs repair_json(std::string_view text, std::string& out) { return Repairer(text, out).run(); }

bool show_control_characters(std::string_view text, std::string& out) {
  out.clear();
  if (std::none_of(text.begin(), text.end(), is_control)) return false;
  bool any = false;
  for (const char byte : text) {
    if (is_control(byte)) {
      append_visible(out, byte, "\\x");
      any = true;
    } else {
      out += byte;
    }
  }
  return any;
}

}  // namespace kernwatt::readers::kineto
