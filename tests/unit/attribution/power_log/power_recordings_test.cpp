// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "kernwatt/attribution/power_log/analyse_power.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::attribution {
namespace {

std::string shared(const std::string& file) {
  const char* dir = std::getenv("KERNWATT_SHARED_DIR");
  return (dir != nullptr ? std::string(dir) : std::string(KERNWATT_SOURCE_DIR) + "/../shared") + "/data/" + file;
}

/// The report of one file; nothing when the file is not here.
std::optional<run::PowerReport> report_of(const std::string& file, const PowerOptions& options = {}) {
  if (!std::filesystem::exists(shared(file))) return std::nullopt;
  const Result<run::PowerLog> log = readers::read_power_log(shared(file), {});
  EXPECT_TRUE(log) << (log ? "" : log.error().text());
  QualityLedger quality;
  const Result<run::PowerReport> report = analyse_power({*log}, options, quality);
  EXPECT_TRUE(report) << (report ? "" : report.error().text());
  return *report;
}

#define KERNWATT_REPORT_OR_SKIP(name, ...)                                                                 \
  const auto name##_here = report_of(__VA_ARGS__);                                                         \
  if (!name##_here) GTEST_SKIP() << "the shared recordings are not here; set KERNWATT_SHARED_DIR to them"; \
  const run::PowerReport& name = *name##_here

// BUGLOG B33
TEST(PowerRecordings, TheLoadOfB33IsAPhaseAndAWindow) {
  KERNWATT_REPORT_OR_SKIP(report, "traces/replay/B33_warmup_load_eval.csv");
  ASSERT_EQ(report.phases.size(), 3U);
  EXPECT_EQ(report.phases[0].name, "warm-up");
  EXPECT_NEAR(*report.phases[1].energy.mean_w, 720, 1e-6);
  EXPECT_NEAR(*report.phases[2].energy.mean_w, 300, 1e-6);
  EXPECT_NEAR(*report.total.mean_w, 442.2, 0.5);
  PowerOptions options;
  options.from = LogTime{true, 60'000'000'000};
  options.to = LogTime{true, 159'000'000'000};
  KERNWATT_REPORT_OR_SKIP(window, "traces/replay/B33_warmup_load_eval.csv", options);
  EXPECT_NEAR(*window.total.energy_j, 71'280, 1e-6);
  EXPECT_NEAR(*window.total.mean_w, 720, 1e-6);
}

// BUGLOG B53
TEST(PowerRecordings, TheCounterOfB53MovesOnceInAHundredMilliseconds) {
  KERNWATT_REPORT_OR_SKIP(report, "traces/replay/B53_window_shorter_than_update.csv");
  EXPECT_NEAR(report.gpus[0].counter_update.period_s.value_or(0), 0.1, 0.002);
  EXPECT_NEAR(report.gpus[0].counter_step_j.value_or(0), 30, 0.1);
}

// IRREGULAR.md C6, C7
TEST(PowerRecordings, TheUpdatePeriodsAreThoseOfTheBoards) {
  for (const auto& [file, update_s] :
       {std::pair("gpb_updatefreq_3090.csv", 0.1), std::pair("gpb_updatefreq_A100.csv", 0.1),
        std::pair("gpb_updatefreq_V100.csv", 0.02), std::pair("gpb_4090_TR.csv", 0.1),
        std::pair("qwen3asr_gpu_log.csv", 1.0)}) {
    KERNWATT_REPORT_OR_SKIP(report, std::string("traces/power/") + file);
    EXPECT_NEAR(report.gpus[0].update.period_s.value_or(0), update_s, 0.05 * update_s) << file;
  }
}

// IRREGULAR.md C5
TEST(PowerRecordings, TheDeadSensorOfMlperfHasNoEnergy) {
  KERNWATT_REPORT_OR_SKIP(report, "traces/power/gpb_mlperf_unknown_error.csv");
  EXPECT_TRUE(report.gpus[0].sensor_dead);
  EXPECT_FALSE(report.total.energy_j);
}

TEST(PowerRecordings, ATrainingRunIsWorkBetweenIdleStretches) {
  KERNWATT_REPORT_OR_SKIP(report, "h200/long_gpt3_1p3b.power.csv.gz");
  ASSERT_GE(report.phases.size(), 3U);
  EXPECT_LE(report.phases.size(), 7U);
  EXPECT_EQ(report.phases.front().name, "idle");
  EXPECT_EQ(report.phases[1].name, "work 1");
  EXPECT_NEAR(*report.phases[1].energy.mean_w, 635, 15);
  EXPECT_NEAR(*report.gpus[0].disagreement, 1, 0.02);
}

TEST(PowerRecordings, ASquareWaveIsOnePhaseForEachOfItsPeriods) {
  KERNWATT_REPORT_OR_SKIP(report, "h200/square.power.csv.gz");
  EXPECT_EQ(report.phases.size(), 9U) << "four loads with five idle stretches";
}

// BUGLOG B04, B44, B50
TEST(PowerRecordings, WhatStoodInPlaceOfReadingsIsCountedOnce) {
  for (const char* file : {"B04_one_gpu_na.csv", "B44_na_tokens.csv", "B50_uint64_underflow.csv"}) {
    KERNWATT_REPORT_OR_SKIP(report, std::string("traces/replay/") + file);
    std::uint64_t missing = 0;
    for (const run::PowerGpu& gpu : report.gpus) {
      std::uint64_t tokens = 0;
      for (const run::TokenCount& token : gpu.missing_tokens) tokens += token.count;
      EXPECT_EQ(tokens, gpu.missing) << file;
      missing += gpu.missing;
    }
    EXPECT_GT(missing, 0U) << file;
  }
}

// Five tables of nvidia-smi in thirteen hours, and two answers of nvidia-smi -q.
TEST(PowerRecordings, AFewInstantsGiveNoEnergy) {
  for (const char* file : {"power/hstu_smi_table_loop.txt", "clocks/linux-x86_64__nvidia-h200__590.48.01.txt"}) {
    KERNWATT_REPORT_OR_SKIP(report, std::string("traces/") + file);
    EXPECT_FALSE(report.total.energy_j) << file;
    EXPECT_TRUE(report.total.partial) << file;
    for (const run::PowerGpu& gpu : report.gpus) EXPECT_FALSE(gpu.energy.energy_j) << file;
  }
}

}  // namespace
}  // namespace kernwatt::attribution
