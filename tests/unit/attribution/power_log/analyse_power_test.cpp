// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/analyse_power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/attribution/power_log/simulated_log.hpp"

namespace kernwatt::attribution {
namespace {

using testing::HasSubstr;

run::PowerReport analysed(std::vector<run::PowerLog> logs, const PowerOptions& options = {},
                          QualityLedger* quality = nullptr) {
  QualityLedger own;
  const Result<run::PowerReport> report = analyse_power(logs, options, quality != nullptr ? *quality : own);
  EXPECT_TRUE(report) << (report ? "" : report.error().text());
  return report ? *report : run::PowerReport();
}

double job(double t) { return t < 10 ? 80 : t < 14 ? 250 : t < 44 ? 650 : t < 49 ? 180 : 80; }

std::vector<std::string> names(const run::PowerReport& report) {
  std::vector<std::string> names;
  for (const run::PowerPhase& phase : report.phases) names.push_back(phase.name);
  return names;
}

TEST(AnalysePower, CutsAJobIntoIdleWarmUpWorkAndCoolDown) {
  const run::PowerReport report = analysed({simulated_log({}, job)});
  EXPECT_THAT(names(report), testing::ElementsAre("idle", "warm-up", "work", "cool-down", "idle"));
  ASSERT_EQ(report.phases.size(), 5U);
  const run::PowerPhase& work = report.phases[2];
  EXPECT_NEAR(static_cast<double>(work.start_ns - log_start_ns) * 1e-9, 14, 0.2);
  EXPECT_NEAR(static_cast<double>(work.end_ns - log_start_ns) * 1e-9, 44, 0.2);
  EXPECT_EQ(work.energy.source, "counter");
  EXPECT_NEAR(*work.energy.energy_j, 650 * 30, 100);
}

TEST(AnalysePower, PhasesFollowEachOtherAndAddUpToTheWhole) {
  const run::PowerReport report = analysed({simulated_log({}, job)});
  double by_counter_j = 0;
  double by_integral_j = 0;
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    by_counter_j += *report.phases[i].energy.counter_j;
    by_integral_j += *report.phases[i].energy.integral_j;
    if (i > 0) {
      EXPECT_EQ(report.phases[i].start_ns, report.phases[i - 1].end_ns);
    }
  }
  EXPECT_EQ(report.phases.front().start_ns, report.gpus[0].start_ns);
  EXPECT_EQ(report.phases.back().end_ns, report.gpus[0].end_ns);
  EXPECT_NEAR(by_counter_j, *report.gpus[0].energy.counter_j, 1e-6);
  EXPECT_NEAR(by_integral_j, *report.gpus[0].energy.integral_j, 1e-6);
}

TEST(AnalysePower, ALoadThatSwingsIsOnePhaseHoweverOften) {
  for (const double period_s : {0.08, 0.3, 1.0, 2.5, 6.0}) {
    const auto square = [&](double t) { return t < 10 ? 80.0 : std::fmod(t, period_s) < period_s / 2 ? 650.0 : 150.0; };
    const run::PowerReport report = analysed({simulated_log({}, square)});
    EXPECT_LE(report.phases.size(), 4U) << "period " << period_s;
    EXPECT_GE(report.phases.size(), 2U) << "period " << period_s;
  }
}

TEST(AnalysePower, FlatNoiseIsOneSteadyPhase) {
  SimulatedMeter meter;
  meter.noise_w = 15;
  const run::PowerReport report = analysed({simulated_log(meter, [](double) { return 400.0; })});
  EXPECT_THAT(names(report), testing::ElementsAre("steady"));
}

// IRREGULAR.md C17: a power field that is a mean over the past charges a short phase after a load with that load.
TEST(AnalysePower, AShortPhaseAfterALoadHasTheCountersJoules) {
  SimulatedMeter meter;
  meter.lag_s = 0.5;
  QualityLedger quality;
  const run::PowerReport report = analysed({simulated_log(meter, job)}, {}, &quality);
  EXPECT_TRUE(quality.contains("power.phase-by-counter"));
  ASSERT_EQ(names(report).size(), 5U);
  const run::PowerPhase& cool_down = report.phases[3];
  EXPECT_NEAR(*cool_down.energy.energy_j, 5 * 180, 60);
  EXPECT_GT(*cool_down.energy.integral_j, 1.15 * *cool_down.energy.counter_j);
}

TEST(AnalysePower, IntervalsHoldTheTruth) {
  int held = 0;
  int stretches = 0;
  const run::PowerLog log = simulated_log({}, job);
  for (double from_s = 0.35; from_s < 50; from_s += 3.1) {  // NOLINT: few steps, no comparison for equality
    const double to_s = from_s + 4.7;
    PowerOptions options;
    options.from = LogTime{true, std::llround(from_s * 1e9)};
    options.to = LogTime{true, std::llround(to_s * 1e9)};
    double truth_j = 0;
    for (int i = 0; i < 4700; ++i) truth_j += job(from_s + i * 0.001) * 0.001;
    const run::PowerEnergy energy = analysed({log}, options).gpus[0].energy;
    ++stretches;
    held += energy.energy_ci95_j->low <= truth_j && truth_j <= energy.energy_ci95_j->high ? 1 : 0;
  }
  EXPECT_GE(held * 100, stretches * 85) << held << " of " << stretches;
}

// CASES.md 4, BUGLOG B53: windows shorter than the counter's update.
TEST(AnalysePower, AStretchBelowTheResolutionSaysSoAndIsNeverABareZero) {
  PowerOptions options;
  options.from = LogTime{true, 20'110'000'000};
  options.to = LogTime{true, 20'115'000'000};
  QualityLedger quality;
  const run::PowerReport report = analysed({simulated_log({}, job)}, options, &quality);
  EXPECT_TRUE(report.gpus[0].energy.below_resolution);
  EXPECT_NEAR(*report.gpus[0].energy.energy_j, 650 * 0.005, 0.3);
  ASSERT_TRUE(quality.contains("power.below-resolution"));
  for (const QualityEntry& entry : quality.entries())
    if (entry.id == "power.below-resolution") {
      EXPECT_THAT(entry.message, HasSubstr("100 ms"));
    }
}

// CASES.md 3, BUGLOG B09: the counter starts again in between.
TEST(AnalysePower, ACounterThatStartsAgainIsBridgedByPower) {
  run::PowerLog log = simulated_log({}, [](double) { return 300.0; });
  run::Series<std::int64_t>& counter = log.gpus[0].energy_mj;
  const std::int64_t before = counter.value[3000];
  for (std::size_t i = 3000; i < counter.size(); ++i) counter.value[i] -= before;
  const run::PowerReport report = analysed({std::move(log)});
  EXPECT_EQ(report.gpus[0].energy.source, "counter, resets bridged by power");
  EXPECT_NEAR(*report.gpus[0].energy.energy_j, 300 * 60, 60);
}

// BUGLOG B01, CASES.md 6.
TEST(AnalysePower, MetersThatDisagreeAreBothInTheInterval) {
  run::PowerLog log = simulated_log({}, [](double) { return 300.0; });
  for (double& w : log.gpus[0].power_instant_w.value) w *= 1.5;
  const run::PowerGpu gpu = analysed({std::move(log)}).gpus[0];
  EXPECT_NEAR(*gpu.disagreement, 1 / 1.5, 0.01);
  EXPECT_LE(gpu.energy.energy_ci95_j->low, *gpu.energy.counter_j);
  EXPECT_GE(gpu.energy.energy_ci95_j->high, *gpu.energy.integral_j);
}

// BUGLOG B51, B07: a counter that stands still, or whose unit is wrong, is not believed.
TEST(AnalysePower, ACounterThatCannotBeRightIsNotBelieved) {
  run::PowerLog frozen = simulated_log({}, [](double) { return 300.0; });
  for (std::int64_t& mj : frozen.gpus[0].energy_mj.value) mj = 8'152'136;
  EXPECT_EQ(analysed({std::move(frozen)}).gpus[0].energy.source, "power");
  run::PowerLog micro = simulated_log({}, [](double) { return 300.0; });
  for (std::int64_t& mj : micro.gpus[0].energy_mj.value) mj = mj / 1000;
  const run::PowerGpu gpu = analysed({std::move(micro)}).gpus[0];
  EXPECT_EQ(gpu.energy.source, "power");
  EXPECT_THAT(gpu.believed, HasSubstr("unit"));
}

// IRREGULAR.md C5
TEST(AnalysePower, ADeadSensorHasNoEnergy) {
  const run::PowerReport report = analysed({constant_log(46.19, 700, 1)});
  EXPECT_TRUE(report.gpus[0].sensor_dead);
  EXPECT_FALSE(report.gpus[0].energy.energy_j);
  EXPECT_FALSE(report.total.energy_j);
  EXPECT_TRUE(report.total.partial);
  EXPECT_TRUE(report.phases.empty());
}

// BUGLOG B40: eight lines of 700 W are 5600 W.
TEST(AnalysePower, TheTotalIsTheSumAndNotTheMeanOfTheGpus) {
  const run::PowerReport report = analysed({constant_log(700, 10, 8)});
  EXPECT_NEAR(*report.total.energy_j, 56'000, 1e-6);
  EXPECT_NEAR(*report.total.mean_w, 5600, 1e-9);
  EXPECT_FALSE(report.total.partial);
}

// BUGLOG B04, B13; IRREGULAR.md C24
TEST(AnalysePower, WhatIsMissingMakesTheTotalPartial) {
  run::PowerLog log = constant_log(100, 10, 4);
  log.gpus[1].power_draw_w = {};
  EXPECT_TRUE(analysed({log}).total.partial);
  log = constant_log(100, 10, 4);
  log.gpus[3].gpu.index = 4;
  QualityLedger quality;
  const run::PowerReport report = analysed({log}, {}, &quality);
  EXPECT_TRUE(report.total.partial);
  EXPECT_EQ(report.total.gpus_expected, 5U);
  EXPECT_EQ(report.gpus[3].gpu.index, 4);
  EXPECT_TRUE(quality.contains("power.index-gap"));
}

TEST(AnalysePower, OneGpuInTwoLogsCountsOnce) {
  run::PowerLog a = constant_log(300, 10, 1);
  a.gpus[0].gpu.uuid = "GPU-aaaabbbb-0000-1111-2222-333344445555";
  run::PowerLog b = a;
  a.file = "a.csv";
  b.file = "b.csv";
  const run::PowerReport report = analysed({a, b});
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_NEAR(*report.total.energy_j, 3000, 1e-6);
  EXPECT_THAT(report.gpus[0].files, testing::ElementsAre("a.csv", "b.csv"));
}

// CASES.md 15: only what was asked for.
TEST(AnalysePower, SelectsGpusByIndexAndUuid) {
  run::PowerLog log = constant_log(300, 10, 8);
  log.gpus[5].gpu.uuid = "GPU-cafe0000-0000-1111-2222-333344445555";
  PowerOptions options;
  options.gpu_select = "2,gpu-cafe";
  const run::PowerReport report = analysed({log}, options);
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[1].gpu.index, 5);
  EXPECT_FALSE(report.total.partial);
  options.gpu_select = "9";
  QualityLedger quality;
  const Result<run::PowerReport> refused = analyse_power({log}, options, quality);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}

TEST(AnalysePower, AStretchOutsideTheLogsIsRefused) {
  QualityLedger quality;
  PowerOptions options;
  options.from = LogTime{true, 100'000'000'000};
  EXPECT_FALSE(analyse_power({constant_log(300, 10, 1)}, options, quality));
  options.from = LogTime{true, 5'000'000'000};
  options.to = LogTime{true, 4'000'000'000};
  EXPECT_FALSE(analyse_power({constant_log(300, 10, 1)}, options, quality));
}

TEST(AnalysePower, LogsWithoutReadingsHaveNoFigure) {
  for (run::PowerLog log : {run::PowerLog(), constant_log(300, 0, 1), constant_log(300, 5, 1)}) {
    if (!log.gpus.empty() && log.gpus[0].rows > 1)
      for (std::int64_t& ns : log.gpus[0].power_draw_w.time_ns) ns = log_start_ns;  // IRREGULAR.md C13
    const run::PowerReport report = analysed({log});
    EXPECT_FALSE(report.total.energy_j);
    EXPECT_TRUE(report.phases.empty());
  }
}

std::string message_of(const QualityLedger& quality, std::string_view id) {
  for (const QualityEntry& entry : quality.entries())
    if (entry.id == id) return entry.message;
  return "";
}

run::PowerLog every(int step_s, int readings) {
  run::PowerLog log = constant_log(100, 0, 1);
  run::Series<double>& series = log.gpus[0].power_draw_w;
  series = {};
  for (int i = 0; i < readings; ++i) series.push(log_start_ns + i * step_s * 1'000'000'000LL, 100.0 + i);
  return log;
}

// Two snapshots of nvidia-smi -q, and a loop with an hour between its readings.
TEST(AnalysePower, AFewInstantsGiveNoEnergy) {
  for (const auto& [step_s, readings, enough] : {std::tuple(24, 2, false),
                                                 {1, 2, false},
                                                 {1, 3, true},
                                                 {11, 9, false},
                                                 {9, 9, true},
                                                 {6815, 5, false},
                                                 {61, 10, true}}) {
    const run::PowerReport report = analysed({every(step_s, readings)});
    EXPECT_EQ(report.gpus[0].energy.energy_j.has_value(), enough) << readings << " each " << step_s << " s";
    EXPECT_EQ(report.total.energy_j.has_value(), enough);
    EXPECT_EQ(report.total.partial, !enough);
    EXPECT_EQ(report.gpus[0].energy.integral_j.has_value(), enough);
    EXPECT_NEAR(report.gpus[0].mean_w.value_or(0), 100 + (readings - 1) / 2.0, 1e-9);
    if (!enough) {
      EXPECT_THAT(report.gpus[0].believed, HasSubstr("too few"));
    }
  }
}

TEST(AnalysePower, OfTwoReadingsACounterStillHasTheEnergy) {
  run::PowerLog log = every(24, 2);
  log.gpus[0].energy_mj.push(log_start_ns, 1'000'000);
  log.gpus[0].energy_mj.push(log_start_ns + 24'000'000'000, 3'400'000);
  EXPECT_NEAR(analysed({log}).total.energy_j.value_or(0), 2400, 1e-6);
}

// IRREGULAR.md B1: dmon writes no times.
TEST(AnalysePower, ALogWithoutTimesSaysSoAndHasNoPoll) {
  run::PowerLog log = constant_log(300, 5, 1);
  for (std::int64_t& ns : log.gpus[0].power_draw_w.time_ns) ns = 0;
  log.quality.add("power.no-times", Severity::error, "the file has no times");
  const run::PowerReport report = analysed({log});
  EXPECT_THAT(report.gpus[0].believed, HasSubstr("no times"));
  EXPECT_FALSE(report.gpus[0].poll_s);
  EXPECT_FALSE(report.gpus[0].start_ns);
  EXPECT_FALSE(report.total.start_ns);
  EXPECT_NEAR(report.gpus[0].mean_w.value_or(0), 300, 1e-9);
}

// gpuglasses_8gpu_mislabelled.csv: five of eight GPUs end two seconds early.
TEST(AnalysePower, AMeanPowerIsTheEnergyOverTheWindowAndShortGpusAreNamed) {
  run::PowerLog log = constant_log(100, 8, 3);
  run::Series<double>& shorter = log.gpus[2].power_draw_w;
  shorter.time_ns.resize(7);
  shorter.value.resize(7);
  QualityLedger quality;
  const run::PowerReport report = analysed({log}, {}, &quality);
  EXPECT_NEAR(*report.total.energy_j, 2200, 1e-6);
  EXPECT_NEAR(*report.total.mean_w, 2200 / 8.0, 1e-9);
  EXPECT_THAT(message_of(quality, "power.windows-differ"), HasSubstr("GPU 2: 6.000 s"));
  EXPECT_THAT(message_of(quality, "power.windows-differ"), HasSubstr("200 J"));
  QualityLedger none;
  analysed({constant_log(100, 8, 3)}, {}, &none);
  EXPECT_FALSE(none.contains("power.windows-differ"));
}

TEST(AnalysePower, GpusOfTheSameNameAreToldApartByFile) {
  run::PowerLog a = constant_log(700, 10, 1);
  run::PowerLog b = constant_log(70, 10, 1);
  a.file = "/logs/a.csv";
  b.file = "/logs/b.csv";
  for (const bool anonymous : {false, true}) {
    if (anonymous) a.gpus[0].gpu = b.gpus[0].gpu = {};
    const run::PowerReport report = analysed({a, b});
    ASSERT_EQ(report.gpus.size(), 2U);
    EXPECT_NE(report.gpus[0].name, report.gpus[1].name);
    EXPECT_THAT(report.gpus[0].name, HasSubstr("a.csv"));
    EXPECT_TRUE(report.gpus[1].named_by_file);
    PowerOptions options;
    options.gpu_select = report.gpus[1].name;
    EXPECT_EQ(analysed({a, b}, options).gpus.size(), 1U);
  }
}

TEST(AnalysePower, GpusAreSortedByHostAndIndex) {
  run::PowerLog log = constant_log(100, 10, 4);
  log.gpus[0].gpu = {1, "", "", "", "node-2", {}};
  log.gpus[1].gpu = {{}, "GPU-cafe0000", "", "", "", {}};
  log.gpus[2].gpu = {1, "", "", "", "node-1", {}};
  log.gpus[3].gpu = {0, "", "", "", "node-2", {}};
  std::vector<std::string> order;
  for (const run::PowerGpu& gpu : analysed({log}).gpus) order.push_back(gpu.name);
  EXPECT_THAT(order, testing::ElementsAre("node-1:1", "node-2:0", "node-2:1", "GPU-cafe0000"));
}

TEST(AnalysePower, AnErrorAboutAGpuWithoutANameSaysHowToCallIt) {
  run::PowerLog log = constant_log(100, 10, 1);
  log.gpus[0].gpu = {};
  PowerOptions options;
  options.gpu_select = "4";
  QualityLedger quality;
  const Result<run::PowerReport> refused = analyse_power({log}, options, quality);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("they are: 0"));
  options.gpu_select = "0";
  EXPECT_EQ(analysed({log}, options).gpus.size(), 1U);
}

TEST(AnalysePower, LogsThatFollowEachOtherLeaveAGapThatIsNamed) {
  run::PowerLog a = constant_log(300, 10, 1);
  a.gpus[0].gpu.uuid = "GPU-aaaabbbb-0000-1111-2222-333344445555";
  run::PowerLog b = a;
  a.file = "a.csv";
  b.file = "b.csv";
  for (std::int64_t& ns : b.gpus[0].power_draw_w.time_ns) ns += 86'400'000'000'000;
  QualityLedger quality;
  analysed({a, b}, {}, &quality);
  EXPECT_TRUE(quality.contains("power.gap-between-logs"));
}

TEST(AnalysePower, TheLowHalvesOfASlowSquareWaveArePauses) {
  const auto square = [](double t) { return t < 6 || t >= 54 ? 60.0 : std::fmod(t - 6, 16) < 8 ? 165.0 : 79.0; };
  const std::vector<std::string> found = names(analysed({simulated_log({}, square)}));
  EXPECT_THAT(found, testing::ElementsAre("idle", "work 1", "pause", "work 2", "pause", "work 3", "cool-down", "idle"));
}

TEST(AnalysePower, OfTwoLowLevelsAfterTheWorkTheFirstIsTheCoolDown) {
  const auto sinking = [](double t) { return t < 10 ? 51.0 : t < 30 ? 380.0 : t < 40 ? 69.0 : 51.0; };
  EXPECT_THAT(names(analysed({simulated_log({}, sinking)})), testing::ElementsAre("idle", "work", "cool-down", "idle"));
}

// BUGLOG B44
TEST(AnalysePower, GapsAreCountedAndTheirShareOfTheIntegralTold) {
  run::PowerLog log = constant_log(100, 20, 1);
  run::Series<double> kept;
  for (std::size_t i = 0; i < 21; ++i)
    if (i < 5 || i > 10) kept.push(log.gpus[0].power_draw_w.time_ns[i], i == 11 ? 120.0 : 100.0);
  log.gpus[0].power_draw_w = kept;
  const run::PowerGpu gpu = analysed({log}).gpus[0];
  EXPECT_EQ(gpu.gaps.count, 1U);
  EXPECT_DOUBLE_EQ(*gpu.gaps.longest_s, 7);
  EXPECT_EQ(gpu.gaps.longest_start_ns, log_start_ns + 4'000'000'000);
  EXPECT_DOUBLE_EQ(*gpu.gaps.bridged_j, 770);
}

}  // namespace
}  // namespace kernwatt::attribution
