// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace kernwatt::report {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KERNWATT_SOURCE_DIR) + "/tests/golden/report/" + name;
  const char* update = std::getenv("KERNWATT_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, golden) << name << ": KERNWATT_UPDATE_GOLDEN=1 accepts the change";
}

}  // namespace kernwatt::report
