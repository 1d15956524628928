// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
}

void JsonWriter::before_item() {
  if (std::exchange(after_key_, false)) return;
  if (!std::exchange(first_, false)) out_ += depth_ > deepest_line ? ", " : ",";
  if (depth_ > 0 && depth_ <= deepest_line) new_line();
}

void JsonWriter::open(char bracket) {
  before_item();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_ && depth_ < deepest_line) new_line();
  out_ += bracket;
  first_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_item();
  quoted(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

void JsonWriter::value(std::string_view text) {
  before_item();
  quoted(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_item();
  fmt::format_to(std::back_inserter(out_), "{}", number == 0 ? 0.0 : number);
}

void JsonWriter::value(bool flag) { integer_text(flag ? "true" : "false"); }

void JsonWriter::integer_text(std::string_view text) {
  before_item();
  out_ += text;
}

void JsonWriter::quoted(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const Character character = take_character(text);
    if (character.code == '"' || character.code == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(character.code);
    } else if (character.code < 0x20 || character.code == 0x7f) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<std::uint32_t>(character.code));
    } else {
      out_ += character.valid ? character.bytes : std::string_view("\xef\xbf\xbd");
    }
  }
  out_ += '"';
}

std::string JsonWriter::take() {
  out_ += '\n';
  first_ = true;
  return std::exchange(out_, {});
}

}  // namespace kernwatt::report
