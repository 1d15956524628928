// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernwatt::readers {

enum class TextEncoding : std::uint8_t { utf8, utf16_le, utf16_be };
/// "UTF-8", "UTF-16 (little endian)", "UTF-16 (big endian)"
std::string_view to_string(TextEncoding encoding);

/// Turns the bytes of a text file into UTF-8 without byte-order mark and without NULs. A shell's redirection on Windows
/// writes UTF-16; a log that one program truncates while another holds it open has a hole of NULs.
class TextDecoder {
 public:
  /// Looks at the first bytes of the file: a byte-order mark, or the zero bytes of UTF-16 without one.
  void detect(std::string_view head);
  /// Appends the text of the next bytes to `out`; a character that is torn at the end of `bytes` waits for the rest.
  void decode(std::string_view bytes, std::string& out);

  TextEncoding encoding() const { return encoding_; }
  std::uint64_t nul_bytes() const { return nul_bytes_; }

 private:
  void decode_utf16(std::string_view bytes, std::string& out);
  void append_unit(std::uint32_t unit, std::string& out);

  TextEncoding encoding_ = TextEncoding::utf8;
  std::size_t mark_length_ = 0;  // bytes of the byte-order mark that are still to be skipped
  std::uint64_t nul_bytes_ = 0;
  std::string pending_;  // an odd byte of UTF-16
  std::uint32_t high_surrogate_ = 0;
};

/// Appends a code point as UTF-8.
void append_utf8(std::uint32_t code_point, std::string& out);
/// The text as valid UTF-8 that can be shown: a byte that is no part of valid UTF-8 and a control character become
/// "\xff" and "\x01", so that different names stay different.
std::string visible_text(std::string_view text);
/// Whether visible_text would change nothing.
bool is_visible_text(std::string_view text);
/// How many bytes are no part of valid UTF-8.
std::size_t count_broken_utf8(std::string_view text);

}  // namespace kernwatt::readers
