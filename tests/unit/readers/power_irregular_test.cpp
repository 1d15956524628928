// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// What is odd in real logs that are not among the shared files (IRREGULAR.md, part C), and public reports and cases
// that need no file (BUGLOG.md, CASES.md).
#include <fmt/format.h>

#include "kernwatt/readers/power/power_math.hpp"
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

// IRREGULAR.md C17 and C19: DCGM's power and counter of each GPU in a column of its own, phases, CRLF, empty cells, a
// counter that moves less often than it is polled.
TEST(PowerIrregular, WideDcgmLogsHavePowerAndCounterOfEachGpu) {
  std::string text = "timestamp,phase,gpu0_power_w,gpu0_energy_mj,gpu1_power_w,gpu1_energy_mj,total_power_w\r\n";
  for (int i = 0; i <= 300; ++i) {
    const int updates = i - i % 20 / 19;  // one step in twenty shows the old count
    text += fmt::format("{:.1f},{},{},{},{},{},600\r\n", 1767600000 + 0.1 * i, i < 100 ? "warmup" : "steady",
                        i == 7 ? "" : fmt::format("{:.1f}", 200 + i % 2 * 0.2), 5'000'000 + updates * 20'010,
                        399.9 + i % 3 * 0.1, i % 50 == 49 ? "" : std::to_string(7'000'000 + updates * 40'000));
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_EQ(read.log.gpus[0].missing_power, 1U);
  EXPECT_EQ(read.log.gpus[1].energy_mj.size(), 295U);
  EXPECT_NEAR(*read.summary[0].energy_j / *read.summary[0].energy_counter_j, 1, 2e-3);
  EXPECT_NEAR(*read.summary[1].energy_j / *read.summary[1].energy_counter_j, 1, 5e-3);
  EXPECT_NE(read.entry("power.totals-ignored"), nullptr) << "a column that sums is left out";
  EXPECT_EQ(read.entry("power.counter-mismatch"), nullptr);
}

// IRREGULAR.md C10: a column per node and their sum, in any order.
TEST(PowerIrregular, ASumOfTheColumnsIsNotCountedAgainWhereverItStands) {
  for (const std::string_view text :
       {"timestamp,total_watts,node1_watts,node2_watts\n1767600000,300,100,200\n1767600010,300,100,200\n",
        "timestamp,node1_watts,node2_watts,total_watts\n1767600000,100,200,300\n1767600010,100,200,300\n",
        "timestamp,gpu_0_power_w,gpu_1_power_w,gpu_total_power_w\n1767600000,100,200,300\n1767600010,100,200,300\n"}) {
    const ReadLog read = read_text(std::string(text));
    ASSERT_EQ(read.summary.size(), 2U) << text;
    EXPECT_NEAR(integral_j(read, 0) + integral_j(read, 1), 3000, 1e-6) << text;
    EXPECT_NE(read.entry("power.totals-ignored"), nullptr) << text;
  }
}

// IRREGULAR.md C15 and C16
TEST(PowerIrregular, IrregularStepsAndADriftingPeriodAreIntegratedByTheirTimes) {
  const ReadLog read = read_text(
      "timestamp,gpu,power_w,note\r\n2026-01-05T12:00:00.000001+00:00,0,100,\r\n2026-01-05T12:00:02.600001+00:00,0,100,"
      "\r\n"
      "2026-01-05T12:00:06.400001+00:00,0,200,\r\n2026-01-05T12:00:09.100001+00:00,0,200,\r\n");
  EXPECT_NEAR(*read.summary.at(0).energy_j, 260 + 3.8 * 150 + 2.7 * 200, 1e-6);
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

// IRREGULAR.md C25
TEST(PowerIrregular, NewTokensForNothingAreNoNumbers) {
  std::string text = "timestamp, index, power.draw [W], power.draw.average [W], clocks.current.sm [MHz]\n";
  const std::vector<std::string> tokens{"[Requested functionality has been deprecated]", "[Function Not Found]", "N/A",
                                        "[N/A]", "[Insufficient Permissions]"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    text += fmt::format("2026/01/05 12:00:0{}.000, 0, 145.{}0 W, {}, {}\n", i, i, tokens[i], tokens[i]);
  }
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary.at(0).samples, 5U);
  EXPECT_TRUE(read.log.gpus[0].power_average_w.empty());
  EXPECT_TRUE(read.log.gpus[0].sm_mhz.empty());
  EXPECT_EQ(read.log.gpus[0].missing_power, 0U);
}

// The host is its own part of the identity.
TEST(PowerIdentity, TheSameNumberOnTwoHostsIsTwoGpus) {
  std::string text = "timestamp,hostname,gpu,power_w\n";
  for (int t = 0; t < 3; ++t) {
    for (const char* host : {"a", "b"}) {
      for (int gpu = 0; gpu < 2; ++gpu)
        text += fmt::format("{},{},{},{}\n", 1767600000 + t, host, gpu, host[0] == 'a' ? 100 : 200);
    }
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 4U);
  EXPECT_EQ(read.log.gpus[2].gpu.host, "b");
  EXPECT_EQ(read.log.gpus[2].gpu.index, 0);
  EXPECT_TRUE(read.log.gpus[2].gpu.name.empty());
  EXPECT_EQ(read.summary[2].gpu, "b:0");
  EXPECT_NEAR(*read.summary[0].energy_j, 200, 1e-9);
  EXPECT_NEAR(*read.summary[3].energy_j, 400, 1e-9);
}

TEST(PowerIdentity, RowsMayComeInAnyOrderAndGpusMayStopAndStart) {
  std::string text = "timestamp,uuid,index,power_w\n";
  double sum_j = 0;
  for (int t = 0; t < 50; ++t) {
    for (int k = 0; k < 4; ++k) {
      const int gpu = (k * 3 + t * 7) % 4;
      if (gpu == 2 && t % 5 == 1) continue;
      text += fmt::format("{},GPU-abcdef-{},{},{}\n", 1767600000 + t, gpu, gpu, 100 * (gpu + 1));
    }
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const int gpu = read.log.gpus[i].gpu.index.value_or(-1);
    EXPECT_EQ(read.log.gpus[i].gpu.uuid, fmt::format("GPU-abcdef-{}", gpu));
    for (const double watts : read.log.gpus[i].power_draw_w.value) EXPECT_EQ(watts, 100 * (gpu + 1));
    EXPECT_EQ(read.log.gpus[i].rows, gpu == 2 ? 40U : 50U);
    sum_j += *read.summary[i].energy_j;
  }
  EXPECT_NEAR(sum_j, 49 * 1000, 1e-6);
}

TEST(PowerReplay, B52ADieWithoutReadingsOfItsOwnIsNotAGpuOfZeroWatts) {
  std::string text = "timestamp,gpu,power_w\n";
  for (int t = 0; t < 10; ++t) text += fmt::format("{0},0,500.{1}\n{0},1,0.0\n", 1767600000 + t, t);
  const ReadLog read = read_text(text);
  EXPECT_TRUE(read.summary.at(0).energy_j);
  EXPECT_FALSE(read.summary.at(1).energy_j);
  EXPECT_NE(read.message("power.zero-reading").find("second die"), std::string::npos);
  EXPECT_NE(read.entry("power.gpu-without-power"), nullptr);
}

TEST(PowerReplay, B54IdleAfterLoadKeepsItsOwnPower) {
  std::string text = "timestamp,gpu,power_w\n";
  for (int t = 0; t < 100; ++t) text += fmt::format("{},0,{}\n", 1767600000 + t, t < 50 ? 700.5 : 70.5);
  const ReadLog read = read_text(text);
  const auto& watts = read.log.gpus.at(0).power_draw_w.value;
  EXPECT_EQ(*std::min_element(watts.begin() + 50, watts.end()), 70.5);
  EXPECT_EQ(*std::max_element(watts.begin() + 50, watts.end()), 70.5);
}

// CASES.md 1
TEST(PowerCase, PowerWithoutACounterIsIntegratedWithoutAWarningPerSample) {
  std::string text = "timestamp,gpu,power_w,energy_mj\n";
  for (int i = 0; i <= 200; ++i) text += fmt::format("{:.1f},0,{},[N/A]\n", 1767600000 + 0.1 * i, i < 100 ? 100 : 200);
  const ReadLog read = read_text(text);
  EXPECT_NEAR(*read.summary.at(0).energy_j, 3000, 90);
  EXPECT_FALSE(read.summary[0].energy_counter_j);
  EXPECT_LT(read.quality.entries().size(), 5U);
}

// CASES.md 4
TEST(PowerCase, WindowsShorterThanTheCountersStepKnowItsResolution) {
  std::string text = "timestamp,gpu,power_w,energy_mj\n";
  for (int i = 0; i <= 400; ++i)
    text += fmt::format("{:.3f},0,100.5,{}\n", 1767600000 + 0.005 * i, 1'000'000 + i / 20 * 10'050);
  const ReadLog read = read_text(text);
  EXPECT_NE(read.message("power.counter-resolution").find("once in 100 ms, by 10.1 J"), std::string::npos);
  EXPECT_NEAR(*read.summary.at(0).energy_counter_j, 201, 1e-6);
}

// CASES.md 15
TEST(PowerCase, EightGpusKeepTheirOwnEnergies) {
  std::string text = "timestamp, index, uuid, power.draw [W]\n";
  for (int t = 0; t <= 10; ++t) {
    for (int gpu = 0; gpu < 8; ++gpu)
      text += fmt::format("2026/01/05 12:00:{:02}.000, {}, GPU-1111222{}, 300.00 W\n", t, gpu, gpu);
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 8U);
  for (const run::PowerSummary& summary : read.summary) EXPECT_NEAR(*summary.energy_j, 3000, 1e-6);
}

TEST(PowerCounter, MicrojoulesInAColumnOfMillijoulesAreMended) {
  std::string text = "timestamp,gpu,power_w,energy_mj\n";
  for (int i = 0; i <= 20; ++i)
    text += fmt::format("{},0,{:.1f},{}\n", 1767600000 + i, 300 + i % 2 * 0.2, 5'000'000'000 + 300'100'000LL * i);
  const ReadLog read = read_text(text);
  EXPECT_NEAR(*read.summary.at(0).energy_counter_j, 6002, 1e-3);
  EXPECT_NE(read.message("power.counter-unit").find("off by 1000"), std::string::npos);
  EXPECT_EQ(read.entry("power.counter-reset"), nullptr);
  std::string alone = "timestamp,gpu,energy_mj\n";
  for (int i = 0; i <= 20; ++i) alone += fmt::format("{},0,{}\n", 1767600000 + i, 5'000'000'000 + 300'100'000LL * i);
  const ReadLog guessed = read_text(alone);
  EXPECT_NEAR(*guessed.summary.at(0).energy_counter_j, 6002, 1e-3);
  EXPECT_NE(guessed.message("power.counter-unit").find("no power to compare with"), std::string::npos);
}

TEST(PowerCounter, ThatDoesNotMoveHasNoEnergyRatherThanZero) {
  for (const int seconds : {1, 5, 30}) {
    std::string text = "timestamp,gpu,energy_mj\n";
    for (int i = 0; i <= seconds; ++i) text += fmt::format("{},0,8152136\n", 1767600000 + i);
    const ReadLog read = read_text(text);
    EXPECT_FALSE(read.summary.at(0).energy_counter_j) << seconds << " s";
    EXPECT_TRUE(read.entry("power.counter-frozen") != nullptr || read.entry("power.counter-resolution") != nullptr);
  }
}

TEST(PowerSensor, OfTwoReadingsOrAHandfulFarApartHasNoEnergyAndSaysWhy) {
  const auto log = [](int readings, int step_s) {
    std::string text = "timestamp,gpu,power_w\n";
    for (int i = 0; i < readings; ++i) text += fmt::format("{},0,{}.5\n", 1767600000 + i * step_s, 100 + i);
    return read_text(text);
  };
  EXPECT_FALSE(log(2, 1).summary.at(0).energy_j);
  EXPECT_NE(log(2, 1).entry("power.sparse"), nullptr);
  EXPECT_FALSE(log(9, 15).summary.at(0).energy_j);
  EXPECT_TRUE(log(3, 1).summary.at(0).energy_j);
  EXPECT_EQ(log(3, 1).entry("power.sparse"), nullptr);
  EXPECT_TRUE(log(12, 15).summary.at(0).energy_j);
}

TEST(PowerSensor, IsNamedOnlyWhereTheSensorsDiffer) {
  const auto log = [](double instant) {
    std::string text = "timestamp, index, power.draw [W], power.draw.instant [W]\n";
    for (int i = 0; i < 10; ++i)
      text += fmt::format("2026/01/05 12:00:0{}.000, 0, 300.{}0 W, {:.2f} W\n", i, i, instant + i * 0.1);
    return read_text(text);
  };
  EXPECT_EQ(log(301).entry("power.sensor-used"), nullptr);
  EXPECT_EQ(log(301).quality.worst(), Severity::info);
  EXPECT_NE(log(330).message("power.sensor-used").find("power.draw.instant gives"), std::string::npos);
}

TEST(PowerSensor, ThatStandsStillInWholeWattsIsDoubtedAndInHundredthsIsNotBelieved) {
  const auto log = [](std::string_view watts) {
    std::string text = "timestamp, index, power.draw [W]\n";
    for (int i = 0; i < 120; ++i)
      text += fmt::format("2026/01/05 12:{:02}:{:02}.000, 0, {} W\n", i / 60, i % 60, watts);
    return read_text(text);
  };
  EXPECT_FALSE(log("46.19").summary.at(0).energy_j);
  EXPECT_NEAR(*log("70.00").summary.at(0).energy_j, 119 * 70, 1e-6);
  EXPECT_EQ(log("70.00").entry("power.sensor-stuck")->severity, Severity::warning);
}

}  // namespace
}  // namespace kernwatt::readers
