// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/csv/text_decoder.hpp"

#include <algorithm>

namespace kernwatt::readers {

namespace {

constexpr std::uint32_t replacement = 0xfffd;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::uint32_t byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// Length of the valid UTF-8 sequence at `i`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const std::uint32_t lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0U) != 0x80) return 0;
  }
  const std::uint32_t second = byte_at(text, i + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool too_large = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string_view to_string(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::utf8:
      return "UTF-8";
    case TextEncoding::utf16_le:
      return "UTF-16 (little endian)";
    case TextEncoding::utf16_be:
      return "UTF-16 (big endian)";
  }
  return "UTF-8";
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3fU));
  } else if (code_point < 0x10000) {
    put(0xe0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3fU));
    put(0x80U | (code_point & 0x3fU));
  } else {
    put(0xf0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3fU));
    put(0x80U | ((code_point >> 6U) & 0x3fU));
    put(0x80U | (code_point & 0x3fU));
  }
}

std::size_t count_broken_utf8(std::string_view text) {
  std::size_t broken = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    broken += length == 0 ? 1U : 0U;
    i += std::max<std::size_t>(length, 1);
  }
  return broken;
}

bool is_visible_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_control) && count_broken_utf8(text) == 0;
}

std::string visible_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0 || is_control(text[i])) {
      const std::uint32_t byte = byte_at(text, i);
      out.append("\\x");
      out.push_back(digits[byte >> 4U]);
      out.push_back(digits[byte & 0xfU]);
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

void TextDecoder::detect(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) {
    mark_length_ = 3;
  } else if (head.starts_with("\xff\xfe")) {
    encoding_ = TextEncoding::utf16_le;
    mark_length_ = 2;
  } else if (head.starts_with("\xfe\xff")) {
    encoding_ = TextEncoding::utf16_be;
    mark_length_ = 2;
  } else if (head.size() >= 16) {
    // Western text in UTF-16 has a zero in every other byte, and nowhere else.
    std::size_t zeros[2] = {0, 0};
    const std::size_t looked_at = std::min<std::size_t>(head.size(), 256) & ~std::size_t{1};
    for (std::size_t i = 0; i < looked_at; ++i) zeros[i % 2] += head[i] == '\0' ? 1U : 0U;
    const std::size_t most = looked_at / 2 - looked_at / 16;
    if (zeros[0] == 0 && zeros[1] >= most) encoding_ = TextEncoding::utf16_le;
    if (zeros[1] == 0 && zeros[0] >= most) encoding_ = TextEncoding::utf16_be;
  }
}

void TextDecoder::decode(std::string_view bytes, std::string& out) {
  const std::size_t skipped = std::min(mark_length_, bytes.size());
  mark_length_ -= skipped;
  bytes.remove_prefix(skipped);
  if (encoding_ != TextEncoding::utf8) {
    decode_utf16(bytes, out);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t good = std::min(bytes.find('\0'), bytes.size());
    out.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    const std::size_t nuls = std::min(bytes.find_first_not_of('\0'), bytes.size());
    nul_bytes_ += nuls;
    bytes.remove_prefix(nuls);
  }
}

void TextDecoder::decode_utf16(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    pending_.push_back(c);
    if (pending_.size() < 2) continue;
    const std::uint32_t first = byte_at(pending_, 0);
    const std::uint32_t second = byte_at(pending_, 1);
    append_unit(encoding_ == TextEncoding::utf16_le ? first | (second << 8U) : (first << 8U) | second, out);
    pending_.clear();
  }
}

void TextDecoder::append_unit(std::uint32_t unit, std::string& out) {
  const bool low = unit >= 0xdc00 && unit < 0xe000;
  if (high_surrogate_ != 0 && low) {
    append_utf8(0x10000 + ((high_surrogate_ - 0xd800) << 10U) + (unit - 0xdc00), out);
    high_surrogate_ = 0;
    return;
  }
  if (high_surrogate_ != 0) append_utf8(replacement, out);
  high_surrogate_ = 0;
  if (unit >= 0xd800 && unit < 0xdc00) {
    high_surrogate_ = unit;
  } else if (unit == 0) {
    nul_bytes_ += 2;
  } else {
    append_utf8(low ? replacement : unit, out);
  }
}

}  // namespace kernwatt::readers
