// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/delta_code.hpp"

#include <cstddef>

namespace kernwatt::report {

void DeltaCode::add(std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7U) bytes_.push_back(static_cast<std::uint8_t>(rest | 0x80U));
  bytes_.push_back(static_cast<std::uint8_t>(rest));
}

std::string DeltaCode::base64() const {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const std::size_t left = bytes_.size() - i;
    const std::uint32_t group = (std::uint32_t{bytes_[i]} << 16U) |
                                (left > 1 ? std::uint32_t{bytes_[i + 1]} << 8U : 0U) |
                                (left > 2 ? std::uint32_t{bytes_[i + 2]} : 0U);
    out += digits[group >> 18U];
    out += digits[(group >> 12U) & 63U];
    out += left > 1 ? digits[(group >> 6U) & 63U] : '=';
    out += left > 2 ? digits[group & 63U] : '=';
  }
  return out;
}

}  // namespace kernwatt::report
