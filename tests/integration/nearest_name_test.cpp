// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/nearest_name.hpp"

#include <gtest/gtest.h>

namespace kernwatt::app {
namespace {

TEST(NearestName, IsTheOneThatWasMeant) {
  const std::vector<std::string> verbs{"attribute", "show", "help"};
  EXPECT_EQ(nearest_name("atribute", verbs), "attribute");
  EXPECT_EQ(nearest_name("sohw", verbs), "show");
  EXPECT_EQ(nearest_name("attr", verbs), "attribute");
  EXPECT_EQ(nearest_name("plan", verbs), "");
  const std::vector<std::string> options{"--to", "--from", "--output"};
  EXPECT_EQ(nearest_name("--by", options), "");
  EXPECT_EQ(nearest_name("--ot", options), "--to");
  EXPECT_EQ(nearest_name("--form", options), "--from");
  EXPECT_EQ(nearest_name("", verbs), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), verbs), "");
}

}  // namespace
}  // namespace kernwatt::app
