// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// Files with one energy or power per run: Zeus and CodeCarbon.
#include <fmt/format.h>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

std::filesystem::path power_file(std::string_view name) { return shared_dir() / "data/traces/power" / name; }

TEST(ZeusWindows, HaveAnEnergyPerGpu) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(power_file("zeus_profile_A40+resnet50+gpu0-1-2-3.csv"));
  EXPECT_EQ(read.log.format, "zeus-windows-csv");
  EXPECT_TRUE(read.log.gpus.empty());
  ASSERT_EQ(read.log.totals.size(), 36U);
  EXPECT_EQ(read.log.totals[1].name, "__GlobalPowerLimitOptimizer_300");
  EXPECT_EQ(read.log.totals[1].gpu.index, 1);
  EXPECT_DOUBLE_EQ(*read.log.totals[1].energy_j, 1072.432999998331);
  EXPECT_DOUBLE_EQ(*read.log.totals[1].duration_s, 8.226085375994444);
  EXPECT_FALSE(read.log.totals[1].start_ns) << "a monotonic clock says nothing of when";
  EXPECT_NE(read.entry("power.totals-only"), nullptr);
}

TEST(ZeusWindows, AWindowOfZeroWasNotMeasured) {
  const ReadLog read = read_text(
      "start_time,window_name,elapsed_time,cpu0_energy,gpu0_energy,gpu1_energy\n"
      "1767600000.5,\"a, "
      "b\",0.01,1,0.0,\n1767600001.5,c,2,1,300,310\n1767600003.5,d,2\nstart_time,window_name,elapsed_time,"
      "cpu0_energy,gpu0_energy,gpu1_energy\n1767600004.5,e,2,1,3");
  ASSERT_EQ(read.log.totals.size(), 4U);
  EXPECT_EQ(read.log.totals[0].name, "a, b");
  EXPECT_FALSE(read.log.totals[0].energy_j);
  EXPECT_FALSE(read.log.totals[1].energy_j);
  EXPECT_EQ(read.log.totals[3].energy_j, 310.0);
  EXPECT_EQ(read.log.totals[0].start_ns, 1767600000500000000);
  EXPECT_EQ(read.entry("power.gpu-energy-not-measured")->count, 2U);
  EXPECT_EQ(read.entry("power.bad-rows")->count, 1U);
  EXPECT_NE(read.entry("power.torn-row"), nullptr);
}

TEST(ZeusSummary, HasMeanPowersAndNoEnergy) {
  KERNWATT_NEEDS_SHARED();
  for (const std::string card : {"a40", "p100", "rtx6000", "v100"}) {
    const ReadLog read = read_path(power_file(fmt::format("zeus_nsdi23_summary_power_{}.csv", card)));
    EXPECT_EQ(read.log.format, "zeus-summary-csv");
    EXPECT_GT(read.log.totals.size(), 200U);
    for (const run::RecordedTotal& total : read.log.totals) {
      EXPECT_FALSE(total.energy_j);
      EXPECT_GT(total.power_w.value_or(0), 20);
    }
  }
}

TEST(ZeusMonitor, WritesMilliwattsAndItsPowerMonitorAColumnPerGpu) {
  const ReadLog old =
      read_text("Time,Power\n2022-07-13 02:07:36.708783111,32402\n2022-07-13 02:07:37.708783111,32402\n");
  EXPECT_NEAR(integral_j(old, 0), 32.402, 1e-9);
  EXPECT_NE(old.entry("power.unit-guessed"), nullptr);
  const ReadLog monitor = read_text("time,power0,power2\n1767600000.0,100.5,200.5\n1767600010.0,100.5,200.5\n");
  ASSERT_EQ(monitor.summary.size(), 2U);
  EXPECT_EQ(monitor.log.gpus[1].gpu.index, 2);
  EXPECT_NEAR(integral_j(monitor, 1), 2005, 1e-6);
}

// IRREGULAR.md C28
TEST(CodeCarbon, EnergiesAreInJoulesAndBothGenerationsAreRead) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(power_file("codecarbon_examples_emissions.csv"));
  EXPECT_EQ(read.log.format, "codecarbon-csv");
  ASSERT_FALSE(read.log.totals.empty());
  EXPECT_EQ(read.log.totals[0].gpu.name, "Apple M1");
  EXPECT_NEAR(*read.log.totals[0].energy_j, 8.236909446627563e-05 * 3.6e6, 1e-9);
  EXPECT_NE(read.entry("power.total-disagrees"), nullptr) << "0.02 W for 355 s are not 297 J (BUGLOG.md B06)";
  const ReadLog valid = read_path(power_file("codecarbon_valid_headers.csv"));
  ASSERT_EQ(valid.log.totals.size(), 1U);
  EXPECT_FALSE(valid.log.totals[0].energy_j) << "an empty model and 0.0";
  EXPECT_NE(valid.entry("power.run-without-gpu"), nullptr);
  const ReadLog machine = read_path(power_file("codecarbon_invalid_headers.csv"));
  EXPECT_FALSE(machine.log.totals.at(0).energy_j);
  EXPECT_NE(machine.message("power.gpu-energy-not-measured").find("whole machine"), std::string::npos);
}

TEST(CodeCarbon, RowsOfAnotherGenerationThanTheHeaderAreLeftOut) {
  const ReadLog read = read_text(
      "timestamp,run_id,duration,emissions,cpu_power,gpu_power,gpu_energy,energy_consumed,gpu_count,gpu_model\n"
      "2026-01-05T12:00:00,r1,3600,0.1,10,300,0.3,0.4,2,2 x NVIDIA H100\n2026-01-05T12:00:00,r2,3600,0.1,10,300,0.3\n");
  ASSERT_EQ(read.log.totals.size(), 1U);
  EXPECT_NEAR(*read.log.totals[0].energy_j, 1.08e6, 1e-6);
  EXPECT_EQ(read.log.totals[0].gpu_count, 2);
  EXPECT_EQ(read.log.totals[0].power_w, 300.0);
  EXPECT_TRUE(read.log.totals[0].gpu.name.empty()) << "the figure is of two";
  EXPECT_EQ(read.entry("power.bad-rows")->count, 1U);
  EXPECT_EQ(read.entry("power.total-disagrees"), nullptr);
}

}  // namespace
}  // namespace kernwatt::readers
