// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/magnitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <limits>

#include "tests/unit/report/golden.hpp"

namespace kernwatt::report {
namespace {

std::string energy(double joules, double half) {
  return measured_energy(joules, run::Interval{joules - half, joules + half}).text();
}

TEST(Magnitude, ThreeDigitsInAUnitOfTheRightSize) {
  EXPECT_EQ(energy_text(2311.4), "2.31 kJ");
  EXPECT_EQ(energy_text(0.0123), "12.3 mJ");
  EXPECT_EQ(energy_text(-17.5), "-17.5 J");
  EXPECT_EQ(energy_text(4.2e7), "42.0 MJ");
  EXPECT_EQ(time_text(3.5e-5), "35.0 µs");
  EXPECT_EQ(time_text(12.345), "12.3 s");
  EXPECT_EQ(time_text(86400), "86400 s");
}

TEST(Magnitude, ARoundedValueMovesIntoTheNextUnit) {
  EXPECT_EQ(energy_text(999.96), "1.00 kJ");
  EXPECT_EQ(energy_text(999.4), "999 J");
  EXPECT_EQ(three_digits(9.996), "10.0");
}

TEST(Magnitude, TheIntervalDecidesHowManyDigitsAreShown) {
  EXPECT_EQ(energy(2311.4, 41), "2.31 ± 0.04 kJ");
  EXPECT_EQ(energy(96.31, 1.4), "96.3 ± 1.4 J");
  EXPECT_EQ(energy(559, 101), "559 ± 101 J");
  EXPECT_EQ(energy(2.31, 0.002), "2.310 ± 0.002 J");
  EXPECT_EQ(energy(2.31, 0.00001), "2.310 ± <0.001 J");
  EXPECT_EQ(energy(0.003, 0.2), "3 ± 200 mJ");
}

TEST(Magnitude, TheLargerSideOfAnUnevenIntervalCounts) {
  EXPECT_EQ(measured_power(100, run::Interval{95, 120}).text(), "100 ± 20 W");
}

TEST(Magnitude, SharesThatRoundToNothingAreNotNothing) {
  EXPECT_EQ(share_text(0.2916), "29.2 %");
  EXPECT_EQ(share_text(0.0001), "<0.1 %");
  EXPECT_EQ(share_text(-0.003), "-0.3 %");
  EXPECT_EQ(share_text(-0.00001), "0.0 %");
}

TEST(Magnitude, TimesAreUniversal) {
  EXPECT_EQ(utc_text(1'772'366'400'012'345'678), "2026-03-01 12:00:00.012 UTC");
  EXPECT_EQ(utc_text(-1), "1969-12-31 23:59:59.999 UTC");
}

TEST(Magnitude, NoValueIsTooOddToPrint) {
  for (const double odd : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e308,
                           -1e308, 5e-324, 0.0, -0.0}) {
    EXPECT_FALSE(energy(odd, 1).empty());
    EXPECT_FALSE(energy(1, odd).empty());
    EXPECT_FALSE(time_text(odd).empty());
    EXPECT_FALSE(share_text(odd).empty());
  }
}

/// The page of the HTML report has the same rules in TypeScript; tests/browser compares it with this file.
TEST(Magnitude, TheGoldenListIsForTheHtmlPage) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : {0.0,   1e-12,  3.4e-10,  0.9994e-3, 0.9996e-3, 0.00123, 0.5,    9.994, 9.996, 99.96, 999.4,
                             999.6, 1234.5, 2593.137, 1e6,       3.6e9,     4e13,    -0.004, -17.5, -0.0,  128.25})
    for (const double half : {-1.0, 0.0, 1e-9, 0.004, 0.3, 7.0, 71.0, 5e4}) {
      const std::optional<run::Interval> interval =
          half < 0 ? std::nullopt : std::optional(run::Interval{value - half, value + half / 2});
      list.push_back({{"value", value},
                      {"half", half < 0 ? nlohmann::json() : nlohmann::json(half)},
                      {"energy", measured_energy(value, interval).text()},
                      {"change", measured_energy_change(value, interval).text()},
                      {"power", measured_power(value, interval).text()},
                      {"time", time_text(value)},
                      {"digits", three_digits(value)},
                      {"share", share_text(value / 100)},
                      {"count", count_text(static_cast<std::uint64_t>(std::abs(value)))}});
    }
  expect_golden("magnitudes.json", list.dump(1) + "\n");
}

TEST(Magnitude, LongTimesAreInMinutesHoursAndDays) {
  EXPECT_EQ(duration_text(0.5), "500 ms");
  EXPECT_EQ(duration_text(599), "599 s");
  EXPECT_EQ(duration_text(600), "10 min");
  EXPECT_EQ(duration_text(725), "12 min 5 s");
  EXPECT_EQ(duration_text(48745), "13 h 32 min");
  EXPECT_EQ(duration_text(3 * 86400 + 4 * 3600), "3 d 4 h");
}

}  // namespace
}  // namespace kernwatt::report
