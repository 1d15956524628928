// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/series_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "kernwatt/report/html/delta_code.hpp"
#include "kernwatt/report/html/reading_buckets.hpp"
#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

using nlohmann::json;

/// The other side of DeltaCode, as the page has it.
std::vector<std::int64_t> decoded(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 3 < base64.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = digits.find(base64[i + k]);
      padding += digit == std::string::npos ? 1U : 0U;
      group = group << 6U | static_cast<std::uint32_t>(digit == std::string::npos ? 0 : digit);
    }
    for (std::size_t k = 0; k + padding < 3; ++k) bytes.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * k)));
  }
  std::vector<std::int64_t> values;
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const std::uint8_t byte : bytes) {
    value |= std::uint64_t{byte & 127U} << shift;
    shift += 7;
    if ((byte & 128U) != 0) continue;
    values.push_back(static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U));
    value = 0;
    shift = 0;
  }
  return values;
}

run::Series<double> noisy(std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> watts(80, 700);
  run::Series<double> series;
  for (std::size_t i = 0; i < count; ++i)
    series.push(1'772'366'400'000'000'000 + static_cast<std::int64_t>(i) * 10'000'000, watts(random));
  return series;
}

TEST(DeltaCode, ReadsBackWhatWasWritten) {
  DeltaCode code;
  const std::vector<std::int64_t> values{0, 1, -1, 63, 64, -64, -65, 1'000'000'007, -9'007'199'254'740'991, 5};
  for (const std::int64_t value : values) code.add(value);
  EXPECT_EQ(decoded(code.base64()), values);
  EXPECT_EQ(DeltaCode().base64(), "");
}

TEST(ReadingBuckets, KeepTheSmallestAndTheLargestOfEveryBucket) {
  const run::Series<double> series = noisy(10'007);
  const std::vector<ReadingBucket> buckets = reading_buckets(series, 100);
  ASSERT_EQ(buckets.size(), 101U);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const auto begin = series.value.begin() + static_cast<std::ptrdiff_t>(b * 100);
    const auto end = series.value.begin() + static_cast<std::ptrdiff_t>(std::min(series.size(), (b + 1) * 100));
    EXPECT_EQ(buckets[b].low, *std::min_element(begin, end));
    EXPECT_EQ(buckets[b].high, *std::max_element(begin, end));
    EXPECT_EQ(buckets[b].time_ns, series.time_ns[b * 100]);
  }
}

TEST(ReadingBuckets, LeaveOutWhatIsNoNumber) {
  run::Series<double> series = noisy(3);
  series.value[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(reading_buckets(series, 1).size(), 2U);
}

TEST(ReadingBuckets, AreNeededBeyondTheLimitOnly) {
  EXPECT_EQ(readings_per_bucket(1000, 1000), 1U);
  EXPECT_EQ(readings_per_bucket(1001, 1000), 2U);
  EXPECT_EQ(readings_per_bucket(5000, 1000), 5U);
}

run::Run run_with(run::Series<double> power) {
  run::Run run = sample_run();
  run.devices.emplace_back();
  run.power.emplace_back().gpus.emplace_back().power_instant_w = std::move(power);
  return run;
}

TEST(SeriesJson, HoldsEachReadingToTheMilliwatt) {
  const run::Series<double> power = noisy(500);
  const json document = json::parse(series_json(run_with(power)));
  const json& sensor = document["gpus"][0]["sensors"][0];
  EXPECT_EQ(sensor["name"], "power_instant_w");
  EXPECT_EQ(sensor["readings_per_bucket"], 1);
  EXPECT_EQ(document["gpus"][0]["account"], 0) << "the only GPU of the log is the only one of the trace";
  const std::vector<std::int64_t> steps = decoded(sensor["data"]);
  ASSERT_EQ(steps.size(), 1000U);
  std::int64_t value = 0;
  for (std::size_t i = 0; i < power.size(); ++i) {
    value += steps[2 * i + 1];
    EXPECT_NEAR(static_cast<double>(value) / 1000, power.value[i], 0.0006);
  }
}

TEST(SeriesJson, ReducesMillionsOfReadingsAndKeepsTheirPeak) {
  run::Series<double> power = noisy(3'000'000);
  power.value[1'234'567] = 987.0;
  const std::string text = series_json(run_with(std::move(power)));
  EXPECT_LT(text.size(), 12'000'000U);
  const json sensor = json::parse(text)["gpus"][0]["sensors"][0];
  EXPECT_EQ(sensor["readings_per_bucket"], 3);
  const std::vector<std::int64_t> steps = decoded(sensor["data"]);
  std::int64_t low = 0;
  std::int64_t highest = 0;
  for (std::size_t i = 0; i + 2 < steps.size(); i += 3) {
    low += steps[i + 1];
    highest = std::max(highest, low + steps[i + 2]);
  }
  EXPECT_EQ(highest, 987'000);
}

TEST(SeriesJson, DrawsTheCounterWhereItIsAllThereIs) {
  run::Run run = sample_run();
  run.devices.emplace_back();
  run::GpuPower& gpu = run.power.emplace_back().gpus.emplace_back();
  for (std::int64_t i = 0; i < 10; ++i) gpu.energy_mj.push(i * 50'000'000, (i / 2) * 50'000);  // 500 W, steps of 0.1 s
  const json sensor = json::parse(series_json(run))["gpus"][0]["sensors"][0];
  EXPECT_EQ(sensor["name"], "power_counter_w");
  EXPECT_EQ(decoded(sensor["data"])[1], 500'000);
}

TEST(SeriesJson, JoinsStretchesWithTheSameReasons) {
  run::Run run = run_with(noisy(3));
  auto& reasons = run.power[0].gpus[0].event_reasons;
  const std::int64_t start = 1'772'366'400'000'000'000;
  for (const auto& [at, bits] : {std::pair{0, 0}, {1, 4}, {2, 4}, {3, 1}})
    reasons.push(start + at * 1'000'000'000LL, static_cast<std::uint64_t>(bits));
  const json document = json::parse(series_json(run));
  EXPECT_EQ(document["gpus"][0]["reasons"], json({0, 100'000, 0, 100'000, 200'000, 4, 300'000, 0, 1}));
}

TEST(SeriesJson, SpansAreOfTheirRows) {
  run::Run run = sample_run();
  run.attribution.breakdown.spans = {{5, 1'000'000'000, 1'500'000'000}, {5, 2'000'000'000, 2'250'000'000}};
  const json document = json::parse(series_json(run));
  EXPECT_EQ(document["origin_ns"], 1'000'000'000);
  ASSERT_EQ(document["spans"].size(), 1U);
  EXPECT_EQ(document["spans"][0]["row"], 5);
  EXPECT_EQ(decoded(document["spans"][0]["data"]), (std::vector<std::int64_t>{0, 50'000, 100'000, 25'000}));
}

}  // namespace
}  // namespace kernwatt::report
