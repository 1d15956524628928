// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/session_time.hpp"
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t utc = 1'700'000'000 * second;

/// A recording with one kernel and a session start as given.
class NsysTime : public ::testing::Test {
 protected:
  void kernel_at(std::int64_t start) {
    recording_.sql(
        fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{})",
                    start, start + 10));
  }
  void session(const std::string& values) {
    recording_.sql(
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT,"
        " systemClockNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" +
        values + ")");
  }
  void details(std::int64_t start, std::int64_t stop) {
    recording_.sql(
        fmt::format("CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER,"
                    " stopTime INTEGER); INSERT INTO ANALYSIS_DETAILS VALUES (1,{},{},{})",
                    stop - start, start, stop));
  }
  void settings(std::string_view name, std::string_view value) {
    recording_.sql(
        fmt::format("CREATE TABLE IF NOT EXISTS META_DATA_EXPORT (name TEXT, value TEXT);"
                    "INSERT INTO META_DATA_EXPORT VALUES ('{}','{}')",
                    name, value));
  }
  run::Trace read() {
    auto trace = recording_.read();
    EXPECT_TRUE(trace) << trace.error().text();
    return trace ? std::move(*trace) : run::Trace{};
  }
  Recording recording_;
};

// IRREGULAR.md B3: kernels 155 s after the session's start
TEST_F(NsysTime, CountsFromTheSessionsStart) {
  kernel_at(155 * second);
  session(fmt::format("{}, '2023-11-14T22:13:20', '2023-11-15T06:13:20', {}", utc, 35 * second));
  details(35 * second, 330 * second);
  const run::Trace trace = read();
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.launches[0].start_ns, utc + 155 * second);
  EXPECT_THAT(message_of(trace, "trace.time-base"), ::testing::HasSubstr("2023-11-14 22:13:20 UTC"));
}

TEST_F(NsysTime, CountsByTheSystemsClockWhereTheEventsDo) {
  kernel_at(515'397 * second);
  session(fmt::format("{}, '2023-11-14T22:13:20', NULL, {}", utc, 515'396 * second));
  details(515'396 * second, 515'398 * second);
  const run::Trace trace = read();
  EXPECT_EQ(trace.launches[0].start_ns, utc + second);
}

// IRREGULAR.md B7, B8: the local time never counts
TEST_F(NsysTime, LocalTimeIsNotUsed) {
  kernel_at(second);
  session("NULL, NULL, '2023-11-14T15:58:57', NULL");
  const run::Trace trace = read();
  EXPECT_FALSE(trace.time_is_absolute);
  EXPECT_NE(find_entry(trace, "trace.relative-time"), nullptr);
}

TEST_F(NsysTime, WholeSecondsAreAWarning) {
  kernel_at(second);
  session("NULL, '2023-11-14T22:13:20', NULL, NULL");
  const run::Trace trace = read();
  EXPECT_EQ(trace.launches[0].start_ns, utc + second);
  ASSERT_NE(find_entry(trace, "trace.time-base"), nullptr);
  EXPECT_EQ(find_entry(trace, "trace.time-base")->severity, Severity::warning);
}

TEST_F(NsysTime, NormalizedTimesStay) {
  kernel_at(utc + second);
  session(fmt::format("{}, NULL, NULL, NULL", utc));
  settings("EXPORT_PARAM_TIME_NORMALIZE", "true");
  const run::Trace trace = read();
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.launches[0].start_ns, utc + second);
}

TEST_F(NsysTime, AShiftOfTheExportIsTakenOff) {
  kernel_at(5 * second);
  session(fmt::format("{}, NULL, NULL, NULL", utc));
  settings("EXPORT_PARAM_TIME_SHIFT", "-2000000000");
  const run::Trace trace = read();
  EXPECT_EQ(trace.launches[0].start_ns, utc + 7 * second);
}

TEST_F(NsysTime, NonsenseIsNoTime) {
  kernel_at(second);
  session("-5, 'yesterday', NULL, 'x'");
  settings("EXPORT_PARAM_TIME_SHIFT", "9223372036854775807");
  EXPECT_FALSE(read().time_is_absolute);
}

TEST(ParseUtc, KnowsIsoTimesOnly) {
  using nsys::parse_utc;
  EXPECT_EQ(parse_utc("2023-11-14T22:13:20"), utc);
  EXPECT_EQ(parse_utc("2023-11-14 22:13:20.25Z"), utc + second / 4);
  EXPECT_EQ(parse_utc("2023-02-30T00:00:00"), std::nullopt);
  EXPECT_EQ(parse_utc("2023-11-14T25:00:00"), std::nullopt);
  EXPECT_EQ(parse_utc("2023-11-14"), std::nullopt);
  EXPECT_EQ(parse_utc(""), std::nullopt);
}

}  // namespace
}  // namespace kernwatt::readers
