// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// Clocks that are set, and stamps that are too coarse.
#include <fmt/format.h>

#include "kernwatt/readers/power/timestamp.hpp"
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

/// 100 W, a row a second, 60 of them before and 60 after local time leaps from `hour`:00:00 by an hour.
std::string spring(int hour, int pause_s, std::string_view zone = "") {
  std::string text = "timestamp,index,power_w\n";
  for (int i = -60; i < 60; ++i) {
    const int s = hour * 3600 + i + (i < 0 ? 0 : 3600 + pause_s);
    text += fmt::format("2026-03-29 {:02}:{:02}:{:02}.250{},0,100\n", s / 3600, s / 60 % 60, s % 60, zone);
  }
  return text;
}

TEST(ClockChange, AnHourLostToSummerTimeHasNoEnergy) {
  const ReadLog read = read_text(spring(2, 0));
  EXPECT_NEAR(read.summary[0].energy_j.value_or(0), 11900, 1e-6);
  EXPECT_TRUE(read.entry("power.clock-set-forward"));
}

TEST(ClockChange, AHoleOfAnHourByDayIsAHole) {
  const ReadLog read = read_text(spring(14, 0));
  EXPECT_FALSE(read.entry("power.clock-set-forward"));
  EXPECT_TRUE(read.entry("power.gap"));
}

TEST(ClockChange, AHoleOfAnotherLengthOrInUtcIsAHole) {
  EXPECT_FALSE(read_text(spring(2, 300)).entry("power.clock-set-forward"));
  EXPECT_FALSE(read_text(spring(2, 0, "Z")).entry("power.clock-set-forward"));
}

TEST(StampsSpread, ReadingsOfOneSecondAreSpreadOverIt) {
  std::string text = "timestamp,index,power_w\n1796030000,0,150\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},0,{}\n", 1796030001 + i / 2, 150.5 + i * 0.5);
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.log.gpus.size(), 1U);
  const auto& times = read.log.gpus[0].power_draw_w.time_ns;
  EXPECT_EQ(times[0], 1796030000'500'000'000);  // the first second is half a one
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], 500'000'000) << i;
  EXPECT_TRUE(read.entry("power.stamps-spread"));
}

TEST(StampsSpread, OneReadingASecondStaysWhereItIs) {
  const ReadLog read = read_text("timestamp,index,power_w\n1796030000,0,100\n1796030001,0,101\n1796030002,0,102\n");
  EXPECT_FALSE(read.entry("power.stamps-spread"));
  EXPECT_EQ(read.log.gpus[0].power_draw_w.time_ns[1], 1796030001'000'000'000);
}

std::int64_t time_of(std::string_view text) {
  const auto stamp = parse_timestamp(text, TimeUnit::guess);
  EXPECT_TRUE(stamp && stamp->kind == TimeKind::absolute) << text;
  return stamp ? stamp->ns : 0;
}

TEST(Timestamp, BasicIsoAndMailFormsAreExact) {
  const std::int64_t ns = time_of("2026-11-30T09:13:20Z");
  EXPECT_EQ(time_of("20261130T091320Z"), ns);
  EXPECT_EQ(time_of("20261130T101320.25+0100"), ns + 250'000'000);
  EXPECT_EQ(time_of("Mon, 30 Nov 2026 09:13:20 +0000"), ns);
  EXPECT_EQ(time_of("30 Nov 2026 09:13:20 GMT"), ns);
  for (const char* wrong : {"20261330T091320Z", "2026113T0913200Z", "Mon, 30 Nov", "30 Nov 26 09:13:20 GMT"}) {
    EXPECT_FALSE(parse_timestamp(wrong, TimeUnit::guess)) << wrong;
  }
}

TEST(Timestamp, MinutesCountFromAnUnknownZero) {
  const ReadLog read = read_text(
      "elapsed_min,power_w\n0,100\n0.1,100\n0.2,100\n0.3,100\n0.4,100\n0.5,100\n0.6,100\n0.7,100\n0.8,100\n0.9,100\n"
      "1,100\n");
  EXPECT_NEAR(read.summary[0].energy_j.value_or(0), 6000, 1e-9);
  EXPECT_TRUE(read.entry("power.time-relative"));
}

/// A board that works and varies for 100 s, then says `stuck` for 100 s.
std::string dying(double stuck, std::string_view counter_j_per_s = "") {
  std::string text = counter_j_per_s.empty() ? "timestamp,index,power_w\n" : "timestamp,index,power_w,energy_j\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{},0,{:.2f}", 1796030000.5 + i, i < 100 ? 200 + 1.37 * (i * 7 % 83) : stuck);
    if (!counter_j_per_s.empty()) text += fmt::format(",{}", 1000 + 304.12 * i);
    text += "\n";
  }
  return text;
}

TEST(StuckSensor, OneThatDiesHalfWayIsTold) {
  const ReadLog read = read_text(dying(304.12));
  const std::string message = read.message("power.sensor-stuck-for");
  EXPECT_NE(message.find("from 100.0 s on, for 99.0 s"), std::string::npos) << message;
  EXPECT_NE(message.find("30108 J"), std::string::npos) << message;
}

TEST(StuckSensor, IdleBoardsAndConfirmedOnesAreNot) {
  EXPECT_FALSE(read_text(dying(75.31)).entry("power.sensor-stuck-for"));
  EXPECT_FALSE(read_text(dying(304.12, "304.12")).entry("power.sensor-stuck-for"));
}

}  // namespace
}  // namespace kernwatt::readers
