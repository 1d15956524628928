// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// Which GPU a row or a column is about, where a log says it badly.
#include <fmt/format.h>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

/// `gpus` rows for each of 20 polls, all with index 0; GPU g draws about 100 + 50 g W.
std::string all_index_zero(int gpus, int step_ms, int apart_ms) {
  std::string text = "timestamp, index, power.draw [W]\n";
  for (int poll = 0; poll < 20; ++poll) {
    for (int g = 0; g < gpus; ++g) {
      const int ms = poll * step_ms + g * apart_ms;
      text += fmt::format("2026/11/30 09:13:{:02}.{:03}, 0, {:.2f} W\n", ms / 1000, ms % 1000,
                          100 + 50 * g + 0.25 * (poll % 3));
    }
  }
  return text;
}

void expect_eight(const ReadLog& read) {
  ASSERT_EQ(read.log.gpus.size(), 8U);
  for (int g = 0; g < 8; ++g) {
    const auto& gpu = read.log.gpus[static_cast<std::size_t>(g)];
    EXPECT_EQ(gpu.gpu.index, g);
    ASSERT_EQ(gpu.power_draw_w.size(), 20U);
    EXPECT_DOUBLE_EQ(gpu.power_draw_w.value.front(), 100 + 50 * g);
  }
  EXPECT_NE(read.message("power.gpu-by-position").find("says the same of all"), std::string::npos);
}

TEST(GpuIdentity, EightRowsOfOneInstantUnderOneIndexAreEightGpus) {
  expect_eight(read_text(all_index_zero(8, 113, 0)));
}

TEST(GpuIdentity, SoAreThoseOfWholeSeconds) { expect_eight(read_text(all_index_zero(8, 1000, 0))); }

TEST(GpuIdentity, SoAreThoseOfABurst) { expect_eight(read_text(all_index_zero(8, 500, 3))); }

TEST(GpuIdentity, OneGpuPolledTwiceASecondInWholeSecondsIsOneGpu) {
  std::string text = "timestamp,index,power_w\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},0,{}\n", 1796030000 + i / 2, 100 + 2 * i + i * i % 7);
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_FALSE(read.entry("power.gpu-by-position"));
  EXPECT_TRUE(read.entry("power.stamps-spread"));
}

TEST(GpuIdentity, AHostInTheNameOfAColumnIsPartOfTheGpu) {
  const ReadLog read = read_text(
      "timestamp,nodea_gpu0_watts,nodea_gpu1_watts,nodeb_gpu0_watts,nodeb_gpu1_watts\n"
      "1796030000,100,200,300,400\n1796030001,101,201,301,401\n1796030002,100,200,300,400\n");
  ASSERT_EQ(read.log.gpus.size(), 4U);
  const auto& third = read.log.gpus[2];
  EXPECT_EQ(third.gpu.host, "nodeb");
  EXPECT_EQ(third.gpu.index, 0);
  EXPECT_EQ(third.power_draw_w.value, (std::vector<double>{300, 301, 300}));
}

TEST(GpuIdentity, QuantitiesBeforeTheGpuAreNoHosts) {
  const ReadLog read = read_text(
      "timestamp,max_gpu0_power_w,min_gpu0_power_w,gpu0_power_w\n1796030000,300,100,200\n1796030001,300,100,201\n");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].gpu.host, "");
  EXPECT_EQ(read.log.gpus[0].power_draw_w.value, (std::vector<double>{200, 201}));
}

TEST(GpuIdentity, WhatIsNoIndexStaysAName) {
  const ReadLog read = read_text(
      "timestamp,index,power_w\n1796030000,-1,100\n1796030000,4026531840,200\n1796030000,2000000000,300\n"
      "1796030001,-1,101\n1796030001,4026531840,201\n1796030001,2000000000,301\n");
  ASSERT_EQ(read.log.gpus.size(), 3U);
  EXPECT_EQ(read.summary[0].gpu, "-1");
  EXPECT_EQ(read.summary[1].gpu, "4026531840");
  EXPECT_EQ(read.log.gpus[2].gpu.index, 2000000000);
}

}  // namespace
}  // namespace kernwatt::readers
