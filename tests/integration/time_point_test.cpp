// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/time_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernwatt::app {
namespace {

constexpr std::int64_t noon_ns = 1'772'366'400'000'000'000;  // 2026-03-01T12:00:00Z

void expect_time(std::string_view text, bool relative, std::int64_t ns) {
  const Result<ParsedTime> time = parse_time(text);
  ASSERT_TRUE(time) << text << ": " << time.error().text();
  EXPECT_EQ(time->relative, relative) << text;
  EXPECT_EQ(time->ns, ns) << text;
}

TEST(ParseTime, SmallNumbersAreSecondsFromTheStart) {
  expect_time("0", true, 0);
  expect_time("1.5", true, 1'500'000'000);
  expect_time("1.5s", true, 1'500'000'000);
  expect_time("0.000000001", true, 1);
  expect_time("86400", true, 86'400'000'000'000);
}

TEST(ParseTime, LargeNumbersAreSinceTheEpochAndExact) {
  expect_time("1772366400", false, noon_ns);
  expect_time("1772366400.123456789", false, noon_ns + 123'456'789);
  expect_time("1772366400123456789", false, noon_ns + 123'456'789);
}

TEST(ParseTime, CivilTimesNeedAZone) {
  expect_time("2026-03-01T12:00:00Z", false, noon_ns);
  expect_time("2026-03-01 12:00:00.25z", false, noon_ns + 250'000'000);
  expect_time("2026-03-01T13:30:00+01:30", false, noon_ns);
  expect_time("2026-03-01T07:00:00-0500", false, noon_ns);
  EXPECT_THAT(parse_time("2026-03-01T12:00:00").error().message, testing::HasSubstr("time zone"));
}

TEST(ParseTime, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "-1", "now", "1.5.2", "1e9", "12:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
                           "2026-03-01T25:00:00Z", "2026-03-01T12:00:00+99:00", "99999999999999999999", "1,5", "1 "})
    EXPECT_FALSE(parse_time(text)) << text;
}

TEST(ParseSeconds, KeepsTheSign) {
  EXPECT_EQ(parse_seconds_ns("-0.25").value_or(0), -250'000'000);
  EXPECT_EQ(parse_seconds_ns("+3600").value_or(0), 3'600'000'000'000);
  for (const char* text : {"", "-", "+-1", "auto", "1e3", "0x10"}) EXPECT_FALSE(parse_seconds_ns(text)) << text;
}

}  // namespace
}  // namespace kernwatt::app
