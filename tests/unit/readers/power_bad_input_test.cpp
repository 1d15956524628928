// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

std::string good_log(int rows) {
  std::string text = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < rows; ++i) text += fmt::format("2026/01/05 12:{:02}:{:02}.000, 0, 103.00 W\n", i / 60, i % 60);
  return text;
}

TEST(PowerBadInput, EveryTruncationIsAnErrorOrALogWithoutInventedRows) {
  const std::string whole = good_log(12);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const auto log = try_text(whole.substr(0, length));
    if (!log) {
      EXPECT_FALSE(log.error().message.empty());
      continue;
    }
    for (const double watts : log->gpus.at(0).power_draw_w.value) EXPECT_EQ(watts, 103.0) << "cut at " << length;
  }
}

TEST(PowerBadInput, ATornLastRowIsNamed) {
  const std::string whole = good_log(12);
  const ReadLog read = read_text(whole.substr(0, whole.size() - 6));
  EXPECT_EQ(read.summary[0].samples, 11U);
  EXPECT_NE(read.entry("power.torn-row"), nullptr);
}

TEST(PowerBadInput, WhatIsNoPowerLogIsNamedInTheError) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"{\"traceEvents\": []}", "kernwatt attribute"},
      {"{\"traceEvents\": [", "kernwatt attribute"},
      {"<?xml version=\"1.0\" ?><nvidia_smi_log/>", "names no GPU"},
      {"<?xml version=\"1.0\" ?><html><body/></html>", "root is not nvidia_smi_log"},
      {"# HELP DCGM_FI_DEV_POWER_USAGE\n", "no line of this file is a sample"},
      {"# HELP go_threads Threads.\ngo_threads 12\n", "none of the metrics"},
      {"# gpu   pwr gtemp\n# Idx     W     C\n", "no row"},
      {"# gpu        pid  type    sm   mem   command\n# Idx          #   C/G     %     %   name\n    0  5  C  1  2  "
       "x\n",
       "pmon lists processes"},
      {"#Entity   POWER\nID        W\n", "no row"},
      {std::string("SQLite format 3\0", 16), "SQLite"},
      {"Wed Apr  9 10:26:15 2025\n+-----------------------------+\n| NVIDIA-SMI 535 |\n", "no GPU"}};
  for (const auto& [text, word] : files) {
    const auto log = try_text(text);
    ASSERT_FALSE(log) << text;
    EXPECT_NE(log.error().message.find(word), std::string::npos) << log.error().message;
    EXPECT_EQ(log.error().where, "log.csv");
  }
}

TEST(PowerBadInput, NothingUsableIsAnErrorWithAReason) {
  const std::vector<std::string> files{"\n\n\n",
                                       std::string(5000, '\0'),
                                       "hello world\n",
                                       "a,b,c\n1,2,3\n",
                                       "timestamp, power.draw [W]\n",
                                       "timestamp, power.draw [W]\nyesterday, 5 W\n",
                                       "timestamp,colour\n2026/01/05 12:00:00,red\n",
                                       "index, power.draw [W]\n0, 100.00 W\n",
                                       std::string(200'000, '"'),
                                       std::string(3'000'000, 'x'),
                                       "\xff\xfe",
                                       "\x89PNG\r\n\x1a\n" + std::string(400, '\x01')};
  for (const std::string& text : files) {
    const auto log = try_text(text);
    ASSERT_FALSE(log) << text.substr(0, 40);
    EXPECT_EQ(log.error().where, "log.csv");
    EXPECT_GT(log.error().message.size(), 20U);
  }
}

TEST(PowerBadInput, AMissingFileAFolderAndAnEmptyFileAreErrors) {
  const auto folder = std::filesystem::path(testing::TempDir());
  EXPECT_EQ(read_power_log(folder / "there is no such log.csv").error().code, ErrorCode::io);
  EXPECT_FALSE(read_power_log(folder));
  const auto empty = folder / "kernwatt_empty_power.csv";
  std::ofstream(empty).close();
  EXPECT_EQ(read_power_log(empty).error().code, ErrorCode::bad_data);
  std::filesystem::remove(empty);
}

TEST(PowerBadInput, AnUnknownFormatNameIsRefusedWithTheKnownOnes) {
  const auto log = read_power_log("log.csv", {"dcgm", {}});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(log.error().message.find("power-samples-csv"), std::string::npos);
}

TEST(PowerBadInput, RowsOfGarbageAreCountedAndTheFirstIsShown) {
  std::string text = good_log(5);
  text += "%%%%,,\xff\xfe\n" + std::string("\"never closed, 0, 5 W\n") + "2026/01/05 12:10:00.000, 0, 103.00 W\n";
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary[0].samples, 6U);
  EXPECT_EQ(read.entry("power.bad-rows")->count, 2U);
  EXPECT_NE(read.message("power.bad-rows").find("line 7"), std::string::npos);
  EXPECT_NE(read.entry("power.stray-quote"), nullptr);
}

TEST(PowerBadInput, TwoLogsPutOneAfterTheOtherAreOneInOrderOfTime) {
  const ReadLog read = read_text(good_log(10) + good_log(10));
  EXPECT_EQ(read.summary[0].samples, 20U);
  EXPECT_NEAR(*read.summary[0].energy_j, 927, 1e-9);
  EXPECT_NE(read.entry("power.header-repeated"), nullptr);
  EXPECT_NE(read.entry("power.time-backwards"), nullptr);
}

TEST(PowerBadInput, NoiseInTheColumnOfNamesStaysBounded) {
  std::string text = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{}, x{}, 100 W\n", 1767600000 + i, i);
  const ReadLog read = read_text(text);
  EXPECT_LE(read.log.gpus.size(), 4097U);
}

}  // namespace
}  // namespace kernwatt::readers
