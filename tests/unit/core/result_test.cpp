// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/core/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kernwatt {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return Error{ErrorCode::invalid_argument, "odd", "x"};
  return x / 2;
}

Result<int> quarter(int x) {
  KERNWATT_TRY(const int h, half(x));
  return half(h);
}

Status check(int x) {
  KERNWATT_CHECK(half(x));
  return {};
}

TEST(Result, TryPassesTheValueOrTheError) {
  EXPECT_EQ(quarter(8).value(), 2);
  const Result<int> failed = quarter(6);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(failed.error().text(), "x: odd");
}

TEST(Result, CheckReturnsTheErrorOfAnyResult) {
  EXPECT_TRUE(check(2).has_value());
  EXPECT_FALSE(check(3).has_value());
}

TEST(Result, HoldsWhatCanOnlyMove) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> p = std::move(r).value();
  EXPECT_EQ(*p, 7);
}

TEST(Result, ValueOfAnErrorThrows) { EXPECT_THROW(static_cast<void>(half(1).value()), std::bad_variant_access); }

}  // namespace
}  // namespace kernwatt
