// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/core/units.hpp"

#include <gtest/gtest.h>

#include "kernwatt/core/unique_handle.hpp"

namespace kernwatt {
namespace {

TEST(Units, CountersSubtractExactlyBeforeTheyBecomeJoules) {
  const Millijoules before(9'007'199'254'740'993);  // a double cannot hold this odd number
  const Millijoules after(9'007'199'254'740'996);
  EXPECT_EQ((after - before).value(), 3);
  EXPECT_DOUBLE_EQ(to_joules(after - before).value(), 0.003);
}

TEST(Units, PowerTimesTimeIsEnergy) {
  EXPECT_DOUBLE_EQ((Watts(700) * Seconds(2)).value(), 1400);
  EXPECT_DOUBLE_EQ((Joules(1400) / Seconds(2)).value(), 700);
  EXPECT_LT(Watts(1), Watts(2));
}

struct CountingTraits {
  using Handle = int;
  static Handle invalid() { return -1; }
  static void close(Handle) { ++closed; }
  static inline int closed = 0;
};

TEST(UniqueHandle, ClosesOnceHoweverOftenItMoves) {
  CountingTraits::closed = 0;
  {
    UniqueHandle<CountingTraits> a(3);
    UniqueHandle<CountingTraits> b = std::move(a);
    EXPECT_FALSE(static_cast<bool>(a));  // NOLINT(bugprone-use-after-move): that is what is tested
    a = std::move(b);
    EXPECT_EQ(a.get(), 3);
  }
  EXPECT_EQ(CountingTraits::closed, 1);
}

}  // namespace
}  // namespace kernwatt
