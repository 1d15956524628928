// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/reading_rhythm.hpp"

#include <gtest/gtest.h>

#include "tests/unit/attribution/power_log/simulated_log.hpp"

namespace kernwatt::attribution {
namespace {

ReadingRhythm rhythm_of_log(const run::PowerLog& log) {
  const run::Series<double>& series = log.gpus[0].power_instant_w;
  return rhythm_of(series, {0, series.size()});
}

// IRREGULAR.md C6, C7: polled faster than the sensor changes.
TEST(ReadingRhythm, FindsTheUpdatePeriodOfASensorPolledFaster) {
  for (const auto& [poll_s, update_s] : {std::pair(0.007, 0.1), std::pair(0.01, 0.02), std::pair(0.013, 0.03),
                                         std::pair(0.1, 1.0), std::pair(0.005, 0.1)}) {
    SimulatedMeter meter;
    meter.poll_s = poll_s;
    meter.update_s = update_s;
    const ReadingRhythm rhythm = rhythm_of_log(simulated_log(meter, [](double) { return 300.0; }));
    EXPECT_EQ(rhythm.update.found, "found") << update_s;
    EXPECT_NEAR(rhythm.update.period_s.value_or(0), update_s, 0.03 * update_s);
  }
}

TEST(ReadingRhythm, PlateausAndRepeatsByChanceDoNotLengthenIt) {
  // Whole watts and little noise: two of three updates bring the same number again.
  run::PowerLog log = simulated_log({}, [](double t) { return t > 20 && t < 40 ? 80.0 : 300.0; });
  auto& values = log.gpus[0].power_instant_w.value;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i > 2000 && i < 4000 ? 80 : std::round(values[i] / 4) * 4;
  const ReadingRhythm rhythm = rhythm_of_log(log);
  EXPECT_NEAR(rhythm.update.period_s.value_or(0), 0.1, 0.005);
}

// nvidia-smi -q -l writes whole seconds, however often it is polled.
TEST(ReadingRhythm, OfTimesInWholeSecondsTheMeanStepIsThePollAndNoPeriodIsFound) {
  run::Series<double> series;
  for (int i = 0; i < 48; ++i) series.push(log_start_ns + i * 540 / 1000 * 1'000'000'000LL, 100.0 + i % 3 + i / 2);
  const ReadingRhythm rhythm = rhythm_of(series, {0, series.size()});
  EXPECT_NEAR(rhythm.poll_s.value_or(0), 25.0 / 47, 1e-9);
  EXPECT_FALSE(rhythm.update.period_s);
}

// CASES.md 35
TEST(ReadingRhythm, OfAFlatSensorIsNotFound) {
  const ReadingRhythm rhythm = rhythm_of(constant_log(46, 600, 1).gpus[0].power_draw_w, {0, 601});
  EXPECT_EQ(rhythm.update.found, "not found");
  EXPECT_FALSE(rhythm.update.period_s);
  EXPECT_EQ(rhythm.stale, 600U);
}

TEST(ReadingRhythm, OfASensorThatChangesAtEveryReadingIsThatItDoes) {
  SimulatedMeter meter;
  meter.poll_s = 1;
  const ReadingRhythm rhythm = rhythm_of_log(simulated_log(meter, [](double) { return 300.0; }));
  EXPECT_EQ(rhythm.update.found, "every reading");
  EXPECT_FALSE(rhythm.update.period_s);
}

}  // namespace
}  // namespace kernwatt::attribution
