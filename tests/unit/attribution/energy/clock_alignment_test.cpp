// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/clock_alignment.hpp"

#include <gtest/gtest.h>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t start = 1'796'000'000 * second;

struct Case {
  run::Trace trace;
  Timeline timeline;
  LoggedGpu logged;
  Case() {
    trace.time_is_absolute = true;
    timeline.first_ns = start;
    timeline.last_ns = start + 10 * second;
    timeline.origin_ns = start;
    timeline.bins = 10'000;
    for (int i = -5; i < 20; ++i) logged.power.power_draw_w.push(start + i * second, 300);
  }
  std::optional<std::int64_t> align(std::optional<double> given = {}) {
    return align_clocks(trace, timeline, logged, given, quality);
  }
  QualityLedger quality;
};

TEST(ClockAlignment, TwoAbsoluteClocksThatOverlapNeedNothing) {
  Case c;
  EXPECT_EQ(c.align(), 0);
  EXPECT_TRUE(c.quality.entries().empty());
}

TEST(ClockAlignment, HalfHourZonesAreTried) {
  Case c;
  shift_times(c.logged.power, -5 * hour - hour / 2);
  EXPECT_EQ(c.align(), 5 * hour + hour / 2);
  EXPECT_TRUE(c.quality.contains("time.whole-hours"));
}

TEST(ClockAlignment, AGivenOffsetIsTakenAsItIs) {
  Case c;
  shift_times(c.logged.power, -100 * second);
  EXPECT_EQ(c.align(100.25), 100 * second + second / 4);
  EXPECT_TRUE(c.quality.contains("time.offset-given"));
}

TEST(ClockAlignment, ATraceWithoutRealTimeAsksForAnOffset) {
  Case c;
  c.trace.time_is_absolute = false;
  EXPECT_EQ(c.align(), std::nullopt);
  EXPECT_TRUE(c.quality.contains("time.no-common-clock"));
}

TEST(ClockAlignment, ADayApartIsNoOverlap) {
  Case c;
  shift_times(c.logged.power, -30 * hour);
  EXPECT_EQ(c.align(), std::nullopt);
  EXPECT_TRUE(c.quality.contains("time.no-overlap"));
}

TEST(ClockAlignment, ALogWithoutReadingsSaysSo) {
  Case c;
  c.logged.power = {};
  EXPECT_EQ(c.align(), std::nullopt);
  EXPECT_TRUE(c.quality.contains("power.none"));
}

}  // namespace
}  // namespace kernwatt::attribution
