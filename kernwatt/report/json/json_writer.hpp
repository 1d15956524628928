// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernwatt::report {

/// Writes JSON straight into a string: 100 000 rows need no tree in memory. The first levels are one item a line, so
/// that people and diff can read it. What is not finite becomes null, what is not UTF-8 U+FFFD: the output is always
/// valid JSON. Private to this folder.
class JsonWriter {
 public:
  JsonWriter& key(std::string_view name);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);  ///< shortest digits that read back as the same double
  void value(bool flag);
  template <std::integral T>
  void value(T number) {
    integer_text(std::to_string(number));
  }
  void null() { integer_text("null"); }
  template <class T>
  void value(const std::optional<T>& maybe) {
    maybe ? value(*maybe) : null();
  }
  template <class T>
  void member(std::string_view name, const T& what) {
    key(name).value(what);
  }

  /// The text so far, with a line break at its end. The writer is empty afterwards.
  std::string take();

 private:
  void open(char bracket);
  void close(char bracket);
  void before_item();
  void integer_text(std::string_view text);
  void quoted(std::string_view text);
  void new_line();

  static constexpr int deepest_line = 2;  // deeper items stay on the line of their parent
  std::string out_;
  int depth_ = 0;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace kernwatt::report
