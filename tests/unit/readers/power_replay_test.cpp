// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// What shared/data/traces/replay/EXPECTED.json asks of the logs that replay public reports, and CASES.md, part A.
#include <fmt/format.h>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

std::filesystem::path replay(std::string_view name) { return shared_dir() / "data/traces/replay" / name; }

TEST(PowerReplay, B01GivesBothEnergiesAndSaysHowFarTheyAreApart) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B01_counter_vs_power.csv"));
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 187.25, 1e-9);
  EXPECT_NEAR(*read.summary[0].energy_j, 327.0, 1e-9);
  EXPECT_NE(read.message("power.counter-mismatch").find("43 %"), std::string::npos);
  EXPECT_NE(read.message("power.counter-mismatch").find("0.573"), std::string::npos);
}

TEST(PowerReplay, B03SaysThatTheGpusEnergyWasNotMeasured) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B03_emissions_zero_gpu.csv"));
  EXPECT_EQ(read.log.format, "codecarbon-csv");
  EXPECT_TRUE(read.log.gpus.empty());
  ASSERT_EQ(read.log.totals.size(), 1U);
  EXPECT_EQ(read.log.totals[0].gpu_count, 1);
  EXPECT_DOUBLE_EQ(*read.log.totals[0].duration_s, 3600);
  EXPECT_FALSE(read.log.totals[0].energy_j);
  EXPECT_NE(read.message("power.gpu-energy-not-measured").find("GPU energy not measured"), std::string::npos);
}

TEST(PowerReplay, B04KeepsTheOtherGpusAndCallsTheTotalPartial) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B04_one_gpu_na.csv"));
  ASSERT_EQ(read.summary.size(), 4U);
  EXPECT_NEAR(*read.summary[0].energy_j, 1000, 1e-9);
  EXPECT_FALSE(read.summary[1].energy_j);
  EXPECT_EQ(read.summary[1].samples, 0U);
  EXPECT_EQ(read.summary[1].missing, 11U);
  EXPECT_NEAR(*read.summary[2].energy_j, 1020, 1e-9);
  EXPECT_NEAR(*read.summary[3].energy_j, 1030, 1e-9);
  EXPECT_NE(read.message("power.gpu-without-power").find("GPU 1"), std::string::npos);
  EXPECT_NE(read.message("power.gpu-without-power").find("partial"), std::string::npos);
}

TEST(PowerReplay, B07SaysThatTheUnitIsOffByAThousand) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B07_counter_labelled_uJ.csv"));
  const std::string message = read.message("power.counter-unit");
  EXPECT_NE(message.find("16.8 J"), std::string::npos);
  EXPECT_NE(message.find("16800 J"), std::string::npos);
  EXPECT_NE(message.find("1000"), std::string::npos);
  EXPECT_NEAR(*read.summary[0].energy_j, 16800, 1e-6);
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 16800, 1e-6);
}

TEST(PowerReplay, B30KeepsTheGpusOfTheLogApart) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B30_visible_devices_power.csv"));
  ASSERT_EQ(read.summary.size(), 4U);
  EXPECT_NEAR(*read.summary[0].energy_j, 280, 1e-9);
  EXPECT_GT(*read.summary[3].energy_j, 1000);
}

TEST(PowerReplay, B33HasTheWindowInItsSeries) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B33_warmup_load_eval.csv"));
  EXPECT_EQ(read.summary[0].samples, 221U);
  const auto& power = read.log.gpus[0].power_draw_w;
  double sum_j = 0;
  for (std::size_t i = 60; i < 159; ++i) sum_j += (power.value[i] + power.value[i + 1]) / 2;
  EXPECT_NEAR(sum_j, 71'280, 1e-6);
}

TEST(PowerReplay, B40CountsEightBoards) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B40_eight_gpu_constant.csv"));
  double sum_j = 0;
  for (const auto& summary : read.summary) sum_j += *summary.energy_j;
  EXPECT_EQ(read.summary.size(), 8U);
  EXPECT_NEAR(sum_j, 56'000, 1e-6);
}

TEST(PowerReplay, B44CountsWhatIsMissingAndNamesTheHole) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B44_na_tokens.csv"));
  EXPECT_EQ(read.summary[0].samples, 3U);
  EXPECT_EQ(read.summary[0].missing, 6U);
  EXPECT_NEAR(*read.summary[0].max_gap_s, 6, 1e-9);
  EXPECT_NEAR(*read.summary[0].energy_j, 800, 1e-9);
  EXPECT_NE(read.message("power.missing-readings").find("6.000 s"), std::string::npos);
  EXPECT_NE(read.message("power.missing-readings").find("[GPU requires reset]"), std::string::npos);
}

TEST(PowerReplay, B50DropsAWrappedDifference) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B50_uint64_underflow.csv"));
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 248.015, 1e-9);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_EQ(read.entry("power.counter-wrapped")->count, 1U);
}

TEST(PowerReplay, B51UsesPowerWhereTheCounterIsFrozen) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B51_frozen_counter.csv"));
  EXPECT_FALSE(read.summary[0].energy_counter_j);
  EXPECT_NEAR(*read.summary[0].energy_j, 5829, 1e-9);
  EXPECT_NE(read.entry("power.counter-frozen"), nullptr);
  EXPECT_TRUE(read.log.gpus[0].energy_mj.empty()) << "nobody may take its difference for an energy";
}

TEST(PowerReplay, B53StatesTheCountersResolution) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(replay("B53_window_shorter_than_update.csv"));
  EXPECT_NE(read.message("power.counter-resolution").find("100 ms"), std::string::npos);
  EXPECT_NE(read.message("power.counter-resolution").find("30 J"), std::string::npos);
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 150, 1e-9);
}

TEST(PowerCase, ACounterThatRunsBackwardsGivesNeitherNegativeNorAstronomicalEnergy) {
  const ReadLog read = read_text(
      "timestamp,gpu,power_w,energy_mj\n"
      "1767600000,0,100,5000000\n1767600001,0,100,5100000\n1767600002,0,100,200\n1767600003,0,100,100200\n");
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 200, 1e-9);
  EXPECT_NEAR(*read.summary[0].energy_j, 300, 1e-9);
  EXPECT_NE(read.message("power.counter-reset").find("1.000 s are not covered"), std::string::npos);
  EXPECT_NE(read.message("power.counter-reset").find("100.0 J"), std::string::npos);
}

TEST(PowerCase, ASingleWrongReadingOfTheCounterIsNoReset) {
  const ReadLog read = read_text(
      "timestamp,gpu,energy_mj\n"
      "1767600000,0,5000000\n1767600001,0,5100000\n1767600002,0,17\n1767600003,0,5300000\n1767600004,0,5400000\n");
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 400, 1e-9);
  EXPECT_NE(read.entry("power.counter-outlier"), nullptr);
  EXPECT_EQ(read.entry("power.counter-reset"), nullptr);
}

TEST(PowerCase, SentinelsAndSpikesAreLeftOutAndCounted) {
  std::string text = "timestamp, index, power.draw [W], power.limit [W], temperature.gpu\n";
  const std::vector<std::string> cells{
      "100.00 W", "[N/A]",    "[Unknown Error]", "9223372036854775794", "1.40737488355328e+16", "nan",
      "563212 W", "101.00 W", "102.00 W"};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += fmt::format("2026/01/05 12:00:{:02}.000, 0, {}, 300.00 W, 40\n", i, cells[i]);
  }
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary[0].samples, 3U);
  EXPECT_EQ(read.summary[0].missing, 6U);
  EXPECT_EQ(read.log.gpus[0].missing_power, 6U);
  EXPECT_EQ(read.entry("power.impossible-value")->count, 1U);
  EXPECT_EQ(read.entry("power.sentinel")->count, 2U);
  EXPECT_EQ(read.log.gpus[0].temperature_c.size(), 9U) << "the other columns are kept";
  EXPECT_LT(*read.summary[0].energy_j, 1000);
}

TEST(PowerCase, ALoneSpikeAboveTwiceTheLimitIsLeftOut) {
  std::string text = "timestamp, index, power.draw [W], power.limit [W]\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("2026/01/05 12:{:02}:{:02}.000, 0, {} W, 300.00 W\n", i / 60, i % 60,
                        i == 90      ? "2500.00"
                        : i % 2 == 0 ? "299.50"
                                     : "299.48");
  }
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary[0].samples, 199U);
  EXPECT_EQ(read.entry("power.above-limit")->count, 1U);
  EXPECT_NEAR(*read.summary[0].energy_j, 199 * 299.5, 3);
}

TEST(PowerCase, ABurstOverTheLimitIsKept) {
  const ReadLog read = read_text(
      "timestamp, index, power.draw.instant [W], power.limit [W]\n"
      "2026/01/05 12:00:00.000, 0, 941.00 W, 700.00 W\n2026/01/05 12:00:01.000, 0, 700.00 W, 700.00 W\n");
  EXPECT_EQ(read.summary[0].samples, 2U);
  EXPECT_EQ(read.entry("power.above-limit"), nullptr);
}

TEST(PowerCase, AZeroIsNotAMeasuredPower) {
  const ReadLog read = read_text("timestamp,gpu,power_w\n1767600000,0,0\n1767600001,0,0.0\n1767600002,0,0\n");
  EXPECT_EQ(read.summary[0].samples, 0U);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_NE(read.entry("power.zero-reading"), nullptr);
  EXPECT_EQ(read.entry("power.gpu-without-power")->severity, Severity::error);
}

TEST(PowerCase, ModulePowerIsNotGpuPower) {
  const ReadLog read = read_text(
      "timestamp, index, power.draw [W], module.power.draw.average [W]\n"
      "2026/01/05 12:00:00.000, 0, [N/A], 600.00 W\n2026/01/05 12:00:01.000, 0, [N/A], 600.00 W\n");
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_NE(read.entry("power.module-scope"), nullptr);
  EXPECT_NE(read.entry("power.gpu-without-power"), nullptr);
}

}  // namespace
}  // namespace kernwatt::readers
