// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/log_clock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "kernwatt/attribution/account/log_extent.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t start = 1'796'000'000 * second;

/// Work in bursts of irregular length, and a log that follows it.
struct Case {
  std::vector<run::Trace> traces{1};
  std::vector<run::PowerLog> logs{1};
  AttributeOptions options;
  QualityLedger quality;

  explicit Case(bool steady = false) {
    run::Trace& trace = traces[0];
    trace.time_is_absolute = true;
    trace.gpus.resize(1);
    trace.streams.push_back({0, run::none});
    std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
    std::uint64_t random = 12345;
    for (std::int64_t at = 0; at < 40 * second;) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto on = static_cast<std::int64_t>(200 + (random >> 40U) % 1500) * 1'000'000;
      const auto off = steady ? 0 : static_cast<std::int64_t>(200 + (random >> 20U) % 1500) * 1'000'000;
      run::Launch launch;
      launch.stream = 0;
      launch.start_ns = start + at;
      launch.duration_ns = on;
      trace.launches.push_back(launch);
      bursts.emplace_back(at, at + on);
      at += on + off;
    }
    logs[0].file = "logs/power.csv";
    logs[0].gpus.resize(1);
    for (std::int64_t t = -10 * second; t < 60 * second; t += second / 20) {
      bool on = false;
      for (const auto& [from, to] : bursts) on = on || (t >= from && t < to);
      logs[0].gpus[0].power_draw_w.push(start + t, on ? 600 : 120);
    }
  }

  /// What was added to the log's times.
  std::int64_t aligned() {
    const std::int64_t before = logs[0].gpus[0].power_draw_w.time_ns.front();
    status = align_logs(traces, logs, options, quality);
    return logs[0].gpus[0].power_draw_w.time_ns.front() - before;
  }
  Status status;
};

TEST(LogClock, TwoAbsoluteClocksThatOverlapNeedNothing) {
  for (const bool steady : {false, true}) {
    Case c(steady);
    EXPECT_EQ(c.aligned(), 0);
    EXPECT_TRUE(c.quality.entries().empty());
  }
}

TEST(LogClock, HalfHourZonesAreTried) {
  for (const bool steady : {false, true}) {
    Case c(steady);
    c.logs[0].basis = run::TimeBasis::local_unknown;
    shift_times(c.logs[0], -5 * hour - hour / 2);
    EXPECT_EQ(c.aligned(), 5 * hour + hour / 2);
    EXPECT_TRUE(c.quality.contains("time.whole-hours"));
  }
}

TEST(LogClock, ALongLogInLocalTimeIsPlacedByTheWork) {
  Case c;
  run::Series<double>& power = c.logs[0].gpus[0].power_draw_w;
  run::Series<double> longer;
  for (std::int64_t t = -6 * hour; t < -10 * second; t += 5 * second) longer.push(start + t, 120);
  for (std::size_t i = 0; i < power.size(); ++i) longer.push(power.time_ns[i], power.value[i]);
  for (std::int64_t t = 60 * second; t < 6 * hour; t += 5 * second) longer.push(start + t, 120);
  power = longer;
  c.logs[0].basis = run::TimeBasis::local_unknown;
  shift_times(c.logs[0], 2 * hour);
  EXPECT_EQ(c.aligned(), -2 * hour) << "every whole hour covers the trace, one follows it";
}

TEST(LogClock, ClocksSecondsApartAreFoundAndNamed) {
  Case c;
  shift_times(c.logs[0], 17 * second + second / 3);
  EXPECT_NEAR(static_cast<double>(c.aligned()), -17.333e9, 0.1e9);
  EXPECT_TRUE(c.quality.contains("time.offset-found"));
}

TEST(LogClock, SteadyWorkShowsNoOffsetAndNoneIsInvented) {
  Case c(true);
  shift_times(c.logs[0], 3 * second);
  EXPECT_EQ(c.aligned(), 0);
}

TEST(LogClock, TimesFromAnUnknownZeroArePlacedWhereThePowerFollowsTheWork) {
  Case c;
  c.traces[0].time_is_absolute = false;
  for (run::Launch& launch : c.traces[0].launches) launch.start_ns -= start;
  EXPECT_NEAR(static_cast<double>(c.aligned()), -static_cast<double>(start), 0.1e9);
  EXPECT_EQ(c.logs[0].basis, run::TimeBasis::absolute);
  EXPECT_TRUE(c.quality.contains("time.offset-found"));
}

TEST(LogClock, AnUnknownZeroWithoutASignIsLeftForTheUser) {
  Case c(true);
  c.traces[0].time_is_absolute = false;
  EXPECT_EQ(c.aligned(), 0);
  EXPECT_EQ(c.logs[0].basis, run::TimeBasis::unknown_zero);
}

TEST(LogClock, AGivenOffsetIsTakenAsItIs) {
  for (const char* file : {"", "power.csv", "logs/power.csv"}) {
    Case c;
    c.options.time_offsets = {{file, 100.25}};
    EXPECT_EQ(c.aligned(), 100 * second + second / 4);
    EXPECT_TRUE(c.quality.contains("time.offset-given"));
  }
}

TEST(LogClock, AnOffsetForALogThatIsNotThereIsRefused) {
  Case c;
  c.options.time_offsets = {{"other.csv", 1}};
  c.aligned();
  EXPECT_FALSE(c.status.has_value());
}

TEST(LogClock, ADayApartIsLeftAlone) {
  Case c;
  shift_times(c.logs[0], -30 * hour);
  EXPECT_EQ(c.aligned(), 0);
}

}  // namespace
}  // namespace kernwatt::attribution
