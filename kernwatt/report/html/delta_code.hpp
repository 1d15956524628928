// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Private to this folder.
namespace kernwatt::report {

/// Integers that change little from one to the next, in few characters: zigzag (the sign in the lowest bit), seven bits
/// a byte with the lowest first, Base64 over all. page/src/delta_code.ts reads it.
class DeltaCode {
 public:
  void add(std::int64_t value);
  std::string base64() const;

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace kernwatt::report
