// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Text of unknown origin made fit for JSON, CSV and terminals. Private to this folder.
namespace kernwatt::report {

/// One character of a text: its code point and the bytes that make it.
struct Character {
  char32_t code = 0;
  std::string_view bytes;
  bool valid = true;  ///< false: these bytes are no UTF-8, code is U+FFFD
};

/// Takes the first character off `text`. Precondition: not empty.
Character take_character(std::string_view& text);

/// The text with each run of bytes that is not UTF-8 as U+FFFD.
std::string repair_utf8(std::string_view text);

/// Columns that the text takes on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji.
std::size_t display_width(std::string_view text);

/// Valid UTF-8 that moves no cursor and hides nothing: controls, line breaks and direction marks appear as "\n", "\x1b"
/// or "\u{202e}".
std::string printable(std::string_view text);

/// At most `width` columns, the middle replaced by "…" where it is longer; both ends stay.
std::string elide_middle(std::string_view text, std::size_t width);

/// At most `width` columns, "…" at the end where it is longer.
std::string elide_end(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at spaces (not between a number and its unit), or inside a
/// word that is wider than a line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace kernwatt::report
