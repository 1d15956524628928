// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/integration/program.hpp"
#include "tests/integration/small_recording.hpp"
#include "tests/unit/report/energy_words.hpp"

namespace kernwatt {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(AttributeCommand, PrintsATableAndKeepsARun) {
  const SmallRecording recording;
  const Ended first =
      run_kernwatt({"attribute", recording.trace(), "--power", recording.power(), "-o", recording.file("run.kw")});
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(first.errors, "");
  EXPECT_THAT(first.output, HasSubstr("copy_kernel"));
  EXPECT_THAT(first.output, HasSubstr("gemm"));
  const Ended again = run_kernwatt({"show", recording.file("run.kw")});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, first.output) << "show prints the very same table";
}

TEST(AttributeCommand, EnergyAddsUpToTheMillijoule) {
  const SmallRecording recording;
  const json document = json::parse(run_kernwatt({"show", recording.run(), "--json", "-"}).output);
  const json& energy = document["energy"];
  const double total = energy["total_j"];
  EXPECT_NEAR(
      energy["attributed_j"].get<double>() + energy["idle_j"].get<double>() + energy["unattributed_j"].get<double>(),
      total, 1e-3);
  double rows = 0;
  for (const json& row : document["rows"])
    if (row["view"] == "class") rows += row["energy_j"].get<double>();
  EXPECT_NEAR(rows, energy["attributed_j"].get<double>(), 1e-3);
}

TEST(AttributeCommand, WithoutAPowerLogShowsTimeOnly) {
  const SmallRecording recording;
  const Ended ended = run_kernwatt({"attribute", recording.trace()});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("not measured"));
  EXPECT_FALSE(mentions_energy(ended.output)) << ended.output;
  const json document = json::parse(run_kernwatt({"attribute", recording.trace(), "--json", "-"}).output);
  for (const json& row : document["rows"]) EXPECT_TRUE(row["energy_j"].is_null());
}

TEST(AttributeCommand, ATraceWithoutKernelsIsBadData) {
  const SmallRecording recording;
  write_file(
      recording.file("host.json"),
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
  const Ended ended = run_kernwatt({"attribute", recording.file("host.json")});
  EXPECT_EQ(ended.status, 4);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("host.json"));
}

TEST(AttributeCommand, FilesThatAreNoTracesHaveTheirStatus) {
  const SmallRecording recording;
  write_file(recording.file("empty"), "");
  write_file(recording.file("noise"), std::string("\x01\x02\x00\xff", 4) + std::string(5000, '\0'));
  EXPECT_EQ(run_kernwatt({"attribute", recording.file("nothing-here")}).status, 3);
  const TemporaryFolder folder;
  EXPECT_EQ(run_kernwatt({"attribute", folder.path()}).status, 4) << "a folder of ranks without any";
  EXPECT_EQ(run_kernwatt({"attribute", recording.file("empty")}).status, 4);
  EXPECT_EQ(run_kernwatt({"attribute", recording.file("noise")}).status, 4);
}

TEST(AttributeCommand, StrictRefusesDoubtfulNumbersButWritesThem) {
  const SmallRecording recording;
  const std::string text = read_file(recording.power());
  write_file(recording.file("gap.csv"),
             text.substr(0, text.size() / 4) + text.substr(text.find('\n', text.size() * 3 / 4)));
  const Ended ended = run_kernwatt({"attribute", recording.trace(), "--power", recording.file("gap.csv"), "--strict",
                                    "--json", recording.file("a.json")});
  EXPECT_EQ(ended.status, 10) << ended.output;
  EXPECT_THAT(ended.errors, HasSubstr("--strict"));
  EXPECT_THAT(ended.output, HasSubstr("warning"));
  EXPECT_TRUE(std::filesystem::exists(recording.file("a.json")));
}

TEST(AttributeCommand, TheRunSaysHowItWasMade) {
  const SmallRecording recording;
  std::filesystem::rename(recording.trace(), recording.file("it's a trace.csv"));
  const Ended ended = run_kernwatt({"attribute", recording.file("it's a trace.csv"), "--from", "0.5", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const std::string command = json::parse(ended.output)["command"];
  EXPECT_THAT(command, HasSubstr("it'\\''s a trace.csv'"));
  EXPECT_THAT(command, HasSubstr(" --from 0.5"));
}

}  // namespace
}  // namespace kernwatt
