// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// The forms of power logs in shared/data/traces/IRREGULAR.md, part C, that have no file here.
#include <fmt/format.h>

#include "kernwatt/readers/power/timestamp.hpp"
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

constexpr std::string_view two_rows =
    "timestamp, index, power.draw [W]\n2026/01/05 12:00:00.000, 0, 100.00 W\n2026/01/05 12:00:01.000, 0, 200.00 W\n";

std::string utf16(std::string_view text, bool little, bool mark) {
  std::string out;
  const auto put = [&](char low, char high) {
    out.push_back(little ? low : high);
    out.push_back(little ? high : low);
  };
  if (mark) put('\xff', '\xfe');
  for (const char c : text) put(c, '\0');
  return out;
}

// IRREGULAR.md C3
TEST(PowerForm, Utf16WithAndWithoutMarkIsRead) {
  for (const bool little : {true, false}) {
    for (const bool mark : {true, false}) {
      const ReadLog read = read_text(utf16(two_rows, little, mark));
      ASSERT_EQ(read.summary.size(), 1U);
      EXPECT_NEAR(integral_j(read, 0), 150, 1e-9);
      EXPECT_NE(read.entry("power.encoding"), nullptr);
    }
  }
}

TEST(PowerForm, Utf8MarkAndCrLfAreNoPartOfTheCells) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : two_rows) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const ReadLog read = read_text(text);
  EXPECT_NEAR(integral_j(read, 0), 150, 1e-9);
}

TEST(PowerForm, ALogWithoutPowerSaysSo) {
  const ReadLog read =
      read_text(utf16("timestamp, index, utilization.gpu [%], temperature.gpu\r\n"
                      "2026/01/05 12:00:00.000, 0, 5 %, 40\r\n2026/01/05 12:00:01.000, 0, 6 %, 41\r\n",
                      true, true));
  EXPECT_EQ(read.log.gpus.at(0).rows, 2U);
  EXPECT_EQ(read.log.gpus.at(0).temperature_c.size(), 2U);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_EQ(read.entry("power.no-power-column")->severity, Severity::error);
}

// IRREGULAR.md C4
TEST(PowerForm, AHeaderBeforeEveryRowIsReadOnce) {
  const ReadLog read = read_text(
      "timestamp, power.draw [W]\n2026/01/05 12:00:00.000, 100.00 W\n"
      "timestamp, power.draw [W]\n2026/01/05 12:00:01.000, 200.00 W\n"
      "timestamp, power.draw [W]\n2026/01/05 12:00:02.000, 300.00 W\n");
  EXPECT_EQ(read.summary[0].samples, 3U);
  EXPECT_NEAR(*read.summary[0].energy_j, 400, 1e-9);
  EXPECT_EQ(read.entry("power.header-repeated")->count, 2U);
}

TEST(PowerForm, ASecondHeaderMayHaveOtherColumns) {
  const ReadLog read = read_text(
      "timestamp, power.draw [W], index\n2026/01/05 12:00:00.000, 100.00 W, 3\n"
      "timestamp, index, power.draw [W]\n2026/01/05 12:00:01.000, 3, 200.00 W\n");
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].gpu, "3");
  EXPECT_NEAR(integral_j(read, 0), 150, 1e-9);
}

// IRREGULAR.md C2
TEST(PowerForm, WithoutHeaderTheUnitsTellTheColumns) {
  const ReadLog read = read_text(
      "2026/04/25 16:06:06.780, 0, GPU-1f0a94d2-aa, 1980 MHz, 27, 11.64 W, 300.00 W\n"
      "2026/04/25 16:06:11.788, 0, GPU-1f0a94d2-aa, 1980 MHz, 27, 11.36 W, 300.00 W\n");
  EXPECT_EQ(read.summary[0].gpu, "GPU-1f0a94d2-aa");
  EXPECT_EQ(read.summary[0].samples, 2U);
  EXPECT_EQ(read.log.gpus[0].sm_mhz.size(), 2U);
  EXPECT_NEAR(integral_j(read, 0), 5.008 * 11.5, 1e-9);
  EXPECT_NE(read.entry("power.no-header"), nullptr);
}

TEST(PowerForm, WithoutHeaderAndUnitsTheOnlyNumberIsThePowerAndSaidSo) {
  const ReadLog read = read_text("2026/01/05 12:00:00.000, 100.50\n2026/01/05 12:00:01.000, 101.50\n");
  EXPECT_NEAR(integral_j(read, 0), 101, 1e-9);
  EXPECT_NE(read.entry("power.column-guessed"), nullptr);
  EXPECT_FALSE(try_text("2026/01/05 12:00:00.000, 100.50, 250.00\n2026/01/05 12:00:01.000, 101.50, 250.00\n"));
  EXPECT_FALSE(try_text("2026/01/05 12:00:00.000, 1\n2026/01/05 12:00:01.000, 2\n"));
}

// IRREGULAR.md C9
TEST(PowerForm, EightGpusThatShareAnInstantStayEight) {
  std::string text = "timestamp,index, power_w, temp\n";
  for (int t = 0; t < 4; ++t) {
    for (int g = 0; g < 8; ++g) text += fmt::format("2026-01-05T12:00:0{}Z, {}, {}, 40\n", t, g, 100 + g);
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 8U);
  EXPECT_NEAR(*read.summary[7].energy_j, 321, 1e-9);
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

TEST(PowerForm, RowsOfOneInstantWithoutAnyNameAreToldApartByOrderAndSaidSo) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int t = 0; t < 4; ++t) {
    for (int g = 0; g < 2; ++g) text += fmt::format("2026/01/05 12:00:0{}.000, {}.00 W\n", t, 100 + 100 * g);
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_NEAR(*read.summary[0].energy_j, 300, 1e-9);
  EXPECT_NEAR(*read.summary[1].energy_j, 600, 1e-9);
  EXPECT_NE(read.entry("power.gpu-by-position"), nullptr);
}

TEST(PowerForm, RowsOfOnePollMillisecondsApartAreSeveralGpus) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int t = 0; t < 10; ++t) {
    for (int g = 0; g < 4; ++g)
      text += fmt::format("2026/01/05 12:00:{:02}.{:03}, {}.00 W\n", t, 3 * g + t, 100 * (g + 1));
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 4U);
  EXPECT_EQ(read.summary[3].samples, 10U);
  EXPECT_NEAR(*read.summary[3].energy_j, 9.009 * 400, 1e-6);
  EXPECT_NE(read.entry("power.gpu-by-position"), nullptr);
}

TEST(PowerForm, QuickPollsOfOneGpuStayOneGpu) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int t = 0; t < 20; ++t) {
    for (int i = 0; i < 2; ++i) text += fmt::format("2026/01/05 12:00:{:02}.{:03}, {}.00 W\n", t, 3 * i, 100 + t);
  }
  EXPECT_EQ(read_text(text).summary.size(), 1U);
}

TEST(PowerForm, TwoPollsWithinOneMillisecondAreOneGpu) {
  const ReadLog read = read_text(
      "timestamp, power.draw [W]\n2026/01/05 12:00:00.000, 100.00 W\n2026/01/05 12:00:00.001, 100.00 W\n"
      "2026/01/05 12:00:00.001, 101.00 W\n2026/01/05 12:00:00.002, 100.00 W\n2026/01/05 12:00:00.003, 100.00 W\n");
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].samples, 5U);
}

// IRREGULAR.md C11
TEST(PowerForm, AHoleOfZeroBytesAndTwoWritersAreMended) {
  std::string text = "timestamp,gpu,power_w\n";
  for (int t = 0; t < 20; ++t) text += fmt::format("{},0,100\n", 1767600000 + t);
  text += std::string(100'000, '\0');
  for (int t = 5; t < 30; ++t) text += fmt::format("{}.5,0,100\n", 1767600000 + t);
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary[0].samples, 45U);
  EXPECT_NEAR(*read.summary[0].energy_j, 2950, 1e-6);
  EXPECT_EQ(read.entry("power.nul-bytes")->count, 100'000U);
  EXPECT_EQ(read.entry("power.time-backwards")->count, 1U);
}

// IRREGULAR.md C12
TEST(PowerForm, OfTwoLinesInACellTheFirstIsReadAndSaid) {
  const ReadLog read =
      read_text("timestamp,power_w\n2026-01-05 12:00:00,\"26.11\n0\"\n2026-01-05 12:00:01,\"26.13\n0\"\n");
  EXPECT_EQ(read.summary[0].samples, 2U);
  EXPECT_NEAR(integral_j(read, 0), 26.12, 1e-9);
  EXPECT_EQ(read.entry("power.multiline-cell")->count, 2U);
}

// IRREGULAR.md C13
TEST(PowerForm, DateAndTimeInTwoColumnsOfOneSecondHaveNoEnergy) {
  std::string text = "Date, Time, Power Draw, Power Max\n";
  for (int i = 0; i < 45; ++i) text += fmt::format("25-03-2026,10:11:12,{},300\n", 50 + i);
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].samples, 45U);
  EXPECT_EQ(read.summary[0].start_ns, 1774433472000000000);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_EQ(read.entry("power.no-time-span")->severity, Severity::error);
  EXPECT_NE(read.entry("power.date-order"), nullptr);
}

// IRREGULAR.md C14
TEST(PowerForm, ADayThatMayBeAMonthIsDoubted) {
  const ReadLog read = read_text("timestamp,power_w\n03-11-2026 12:00:00,100\n03-11-2026 12:00:01,100\n");
  EXPECT_NEAR(integral_j(read, 0), 100, 1e-9);
  EXPECT_EQ(read.entry("power.date-ambiguous")->severity, Severity::warning);
}

TEST(PowerForm, ALaterRowDecidesBetweenDayAndMonth) {
  const ReadLog read = read_text("timestamp,power_w\n03/12/2026 23:59:59,100\n03/13/2026 00:00:00,100\n");
  EXPECT_EQ(read.entry("power.date-ambiguous"), nullptr);
  EXPECT_NEAR(integral_j(read, 0), 100, 1e-9);
  EXPECT_EQ(read.entry("power.time-backwards"), nullptr);
}

// IRREGULAR.md C15
TEST(PowerForm, AnEmptyLastFieldIsNoCell) {
  const ReadLog read =
      read_text("timestamp,gpu,power_w\r\n2026-01-05 12:00:00,0,100,\r\n2026-01-05 12:00:03,0,101,\r\n");
  EXPECT_NEAR(integral_j(read, 0), 301.5, 1e-9);
  EXPECT_EQ(read.entry("power.long-rows"), nullptr);
}

// IRREGULAR.md C16
TEST(PowerForm, OffsetsAndMicrosecondsAreExact) {
  const ReadLog read =
      read_text("timestamp,power_w\n2026-01-05T12:00:00.123456+00:00,100\n2026-01-05T14:00:01.123457+02:00,100\n");
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
  EXPECT_EQ(read.summary[0].start_ns, 1767614400123456000);
  EXPECT_EQ(read.summary[0].end_ns, 1767614401123457000);
}

// IRREGULAR.md C18
TEST(PowerForm, AHoleInTheLogIsNamed) {
  std::string text = "timestamp,gpu_id,power_w,energy_mj\n";
  for (int i = 0; i < 100; ++i) {
    const double t = i == 0 ? 0 : 4.856 + 0.1 * i;
    text += fmt::format("{:.3f},0,100.5,{}\n", 1767600000 + t, 5'000'000 + static_cast<int>(t * 100.5e3));
  }
  const ReadLog read = read_text(text);
  EXPECT_NE(read.message("power.gap").find("4.956 s"), std::string::npos);
}

// IRREGULAR.md C10
TEST(PowerForm, WideLogsHaveAColumnPerGpuAndTheirTotalIsLeftOut) {
  const ReadLog read =
      read_text("timestamp,gpu0_watts,gpu1_watts,total_watts\n1767600000,100,200,300\n1767600010,100,200,300\n");
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_NEAR(integral_j(read, 0) + integral_j(read, 1), 3000, 1e-9);
  EXPECT_NE(read.entry("power.totals-ignored"), nullptr);
}

TEST(PowerForm, ALogOfNodesWithAnUnnamedTimeColumnIsRead) {
  const ReadLog read = read_text(
      ",node1_watts,node2_watts,total_watts\r\n2026-01-05 12:00:00,100,200,300\r\n2026-01-05 12:00:10,100,200,300\r\n");
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_EQ(read.summary[1].gpu, "node2");
  EXPECT_NEAR(integral_j(read, 1), 2000, 1e-9);
  EXPECT_NE(read.entry("power.time-column-guessed"), nullptr);
}

TEST(PowerForm, WideColumnsAreKnownByTheGpusNumberWhereverItStands) {
  for (const std::string_view header : {"timestamp,gpu0_power_w,gpu1_power_w,gpu0_energy_mj,gpu1_energy_mj",
                                        "timestamp,GPU 0 Power (W),GPU 1 Power (W),GPU 0 Energy (mJ),GPU 1 Energy (mJ)",
                                        "timestamp,power_0_w,power_1_w,energy_0_mj,energy_1_mj",
                                        "timestamp,power_w_0,power_w_1,energy_mj_0,energy_mj_1",
                                        "timestamp,gpu_0_power,gpu_1_power,gpu_0_total_energy,gpu_1_total_energy"}) {
    const ReadLog read =
        read_text(fmt::format("{}\n1767600000,100,200,1000000,5000000\n1767600010,100,200,2000000,7000000\n", header));
    ASSERT_EQ(read.summary.size(), 2U) << header;
    EXPECT_EQ(read.summary[1].gpu, "1") << header;
    EXPECT_NEAR(integral_j(read, 1), 2000, 1e-9) << header;
    EXPECT_NEAR(*read.summary[1].energy_counter_j, 2000, 1e-9) << header;
  }
}

TEST(PowerForm, BareGpuColumnsAndColumnsBesideATotalAreTakenAndSaid) {
  for (const std::string_view header : {"timestamp,gpu0,gpu1,total_watts", "timestamp,left,right,total_watts"}) {
    const ReadLog read = read_text(fmt::format("{}\n1767600000,100,200,300\n1767600010,100,200,300\n", header));
    ASSERT_EQ(read.summary.size(), 2U) << header;
    EXPECT_NEAR(integral_j(read, 0), 1000, 1e-9) << header;
    EXPECT_NE(read.entry("power.column-guessed"), nullptr) << header;
    EXPECT_NE(read.entry("power.totals-ignored"), nullptr) << header;
  }
}

TEST(PowerForm, AHeaderMaySayThatTimesAreUtc) {
  const ReadLog read = read_text("Timestamp (UTC),Power (W)\n2026-01-05 12:00:00,100\n2026-01-05 12:00:01,100\n");
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

TEST(PowerForm, SemicolonsAndDecimalCommasAreRead) {
  const ReadLog read = read_text("timestamp;gpu;power_w\n2026-01-05 12:00:00;0;100,5\n2026-01-05 12:00:01;0;101,5\n");
  EXPECT_NEAR(integral_j(read, 0), 101, 1e-9);
}

TEST(PowerForm, TheEndOfSummerTimeIsNoStepBack) {
  std::string text = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < 10; ++i) text += fmt::format("2026/10/25 02:59:{:02}.000, 0, 100.00 W\n", 50 + i);
  for (int i = 0; i < 10; ++i) text += fmt::format("2026/10/25 02:00:{:02}.000, 0, 100.00 W\n", i);
  const ReadLog read = read_text(text);
  EXPECT_NEAR(*read.summary[0].energy_j, 1900, 1e-6);
  EXPECT_NE(read.entry("power.clock-set-back"), nullptr);
  EXPECT_EQ(read.entry("power.time-backwards"), nullptr);
}

TEST(PowerForm, MilliwattsWithoutAUnitAreRecognised) {
  const ReadLog read = read_text("timestamp,gpu,power\n1767600000,0,250000\n1767600001,0,250000\n");
  EXPECT_NEAR(integral_j(read, 0), 250, 1e-9);
  EXPECT_NE(read.entry("power.unit-guessed"), nullptr);
}

TEST(PowerForm, EnergiesPerIntervalAreNoCounter) {
  std::string text = "timestamp,gpu,energy_j\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},0,{}\n", 1767600000 + i, 300 + (i * 7) % 11);
  const ReadLog read = read_text(text);
  EXPECT_FALSE(read.summary[0].energy_counter_j);
}

TEST(PowerForm, EventReasonsAndClocksOfOldAndNewNamesAreRead) {
  for (const std::string_view reasons : {"clocks_event_reasons.active", "clocks_throttle_reasons.active"}) {
    const ReadLog read = read_text(
        fmt::format("timestamp, pci.bus_id, {}, clocks.sm [MHz], clocks.mem [MHz], power.draw [W]\n"
                    "2026/01/05 12:00:00.000, 00000000:1B:00.0, 0x0000000000000004, 1980 MHz, 3201 MHz, 100.00 W\n",
                    reasons));
    EXPECT_EQ(read.log.gpus.at(0).gpu.pci_bus_id, "00000000:1B:00.0");
    EXPECT_EQ(read.log.gpus[0].event_reasons.value.at(0), 4U);
    EXPECT_EQ(read.log.gpus[0].sm_mhz.value.at(0), 1980);
    EXPECT_EQ(read.log.gpus[0].mem_mhz.value.at(0), 3201);
  }
}

TEST(PowerForm, TheGuessIsSaidAndCanBeGiven) {
  EXPECT_NE(read_text(std::string(two_rows)).message("power.format").find("told by its content"), std::string::npos);
  EXPECT_NE(read_text(std::string(two_rows), "nvidia-smi-csv").message("power.format").find("as asked"),
            std::string::npos);
  const ReadLog samples = read_text(
      "time_us,power_mw\n1767600000020000,100000\n1767600000000000,100000\n"
      "1767600000020000,100000\n");
  EXPECT_EQ(samples.log.gpus.at(0).power_samples_w.size(), 2U);
  EXPECT_EQ(samples.entry("power.samples-repeated")->count, 1U);
}

TEST(Timestamp, CountsSinceTheEpochKeepEveryDigit) {
  EXPECT_EQ(parse_timestamp("1767600000.123456789", TimeUnit::guess)->ns, 1767600000123456789);
  EXPECT_EQ(parse_timestamp("1767600000123456", TimeUnit::guess)->ns, 1767600000123456000);
  EXPECT_EQ(parse_timestamp("1767600000123.5", TimeUnit::guess)->ns, 1767600000123500000);
  EXPECT_EQ(parse_timestamp("1796025409553332", TimeUnit::microseconds)->ns, 1796025409553332000);
  EXPECT_EQ(parse_timestamp("12.5", TimeUnit::guess)->kind, TimeKind::relative);
}

TEST(Timestamp, CivilTimesAreChecked) {
  EXPECT_EQ(parse_timestamp("2024/02/29 23:59:59.999", TimeUnit::guess)->ns, 1709251199999000000);
  EXPECT_EQ(parse_timestamp("Wed Apr  9 10:26:15 2025", TimeUnit::guess)->ns, 1744194375000000000);
  EXPECT_EQ(parse_timestamp("2026-01-05 01:02:03 PM", TimeUnit::guess)->ns, 1767618123000000000);
  for (const std::string_view wrong :
       {"2023/02/29 00:00:00", "2026/13/01 00:00:00", "2026/01/05 25:00:00", "[N/A]", "", "2026/01/05 12:00:0x", "-5",
        "99999999999999999999", "2026-01-05T12:00:00+99:00"}) {
    EXPECT_FALSE(parse_timestamp(wrong, TimeUnit::guess)) << wrong;
  }
}

}  // namespace
}  // namespace kernwatt::readers
