// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// Energy counters as the writers of numbers write them.
#include <fmt/format.h>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

const std::vector<std::int64_t> five_steps{5'000'000'000, 5'000'250'000, 5'000'500'000, 5'000'750'000, 5'001'000'000};

TEST(EnergyCounter, AnExponentInATableIsReadExactly) {
  const ReadLog read = read_text(
      "timestamp,index,power_w,energy_mj\n"
      "1796030000,0,2.5e2,5.000000e+09\n1796030001,0,250,5.00025E9\n1796030002,0,251,50005e5\n"
      "1796030003,0,250,5000750000\n1796030004,0,250,5.001e+09\n");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].energy_mj.value, five_steps);
  EXPECT_DOUBLE_EQ(read.summary[0].energy_counter_j.value_or(0), 1000);
}

TEST(EnergyCounter, GosNumbersInAScrapeAreReadExactly) {
  std::string text;
  for (std::size_t i = 0; i < five_steps.size(); ++i) {
    text += fmt::format("# scrape {}\nDCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{gpu=\"0\"}} {:.6e}\n", 1796030000 + i,
                        static_cast<double>(five_steps[i]));
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].energy_mj.value, five_steps);
}

TEST(EnergyCounter, GosNumbersInAnAnswerAreReadExactly) {
  const ReadLog read = read_text(
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":)"
      R"("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION","gpu":"0"},"values":[[1796030000,"1e+06"],[1796030010,"1.0025e+06"]]}]}})");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].energy_mj.value, (std::vector<std::int64_t>{1'000'000, 1'002'500}));
}

TEST(EnergyCounter, ACounterCellThatIsDroppedIsTold) {
  const ReadLog read = read_text(
      "timestamp,index,power_w,energy_mj\n1796030000,0,250,1000\n1796030001,0,251,12#45\n1796030002,0,250,501000\n");
  EXPECT_EQ(read.log.gpus[0].energy_mj.size(), 2U);
  EXPECT_NE(read.message("power.missing-cells").find("energy_mj 1 of 3"), std::string::npos);
}

}  // namespace
}  // namespace kernwatt::readers
