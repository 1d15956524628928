// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/gpu_identifier.hpp"

#include <algorithm>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers {
namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

std::string normalized_uuid(std::string_view text) {
  text = trim(text);
  std::string_view digits = text;
  const bool named = text.starts_with("GPU-") || text.starts_with("MIG-");
  if (named) digits.remove_prefix(4);
  constexpr std::size_t most = 64;
  const bool plausible = digits.size() >= 32 && digits.size() <= most &&
                         std::all_of(digits.begin(), digits.end(), [](char c) { return is_hex(c) || c == '-'; });
  if (!plausible) return text.starts_with("MIG-") && is_visible_text(text) ? std::string(text) : std::string();
  if (std::all_of(digits.begin(), digits.end(), [](char c) { return c == '0' || c == '-'; })) return {};
  return (named ? std::string() : std::string("GPU-")) + std::string(text);
}

std::string normalized_bus_id(std::string_view text) {
  text = trim(text);
  const auto colons = std::count(text.begin(), text.end(), ':');
  const bool plausible =
      (colons == 1 || colons == 2) && text.size() < 32 &&
      std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c) || c == ':' || c == '.'; });
  if (!plausible) return {};
  constexpr std::size_t width = 8;
  if (colons == 1) return normalized_bus_id("0:" + std::string(text));  // domain 0 goes without saying
  const std::size_t domain = text.find(':');
  std::string result = domain < width ? std::string(width - domain, '0') : std::string();
  for (const char c : text) result += c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

}  // namespace kernwatt::readers
