// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/integration/program.hpp"
#include "tests/integration/small_recording.hpp"

namespace kernwatt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Compare, ARunAgainstItselfHasNotChanged) {
  const SmallRecording recording;
  const std::string run = recording.run();
  const Ended ended = run_kernwatt({"compare", run, run, "--fail-on-regression", "0%", "--regression-in", "either"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("0.0 %"));
  const auto document = nlohmann::json::parse(run_kernwatt({"compare", run, run, "--json", "-"}).output);
  EXPECT_EQ(document["kind"], "comparison");
  for (const auto& row : document["rows"]) {
    EXPECT_EQ(row["match"], "same");
    EXPECT_EQ(row["time_s"]["difference"], 0.0);
  }
}

/// Launches without any repetition, each as long as told: a recording without iterations.
std::string irregular(const TemporaryFolder& folder, const std::string& name, int microseconds) {
  std::string text = "name,start_ns,duration_ns,stream\n";
  for (int i = 0; i < 40; ++i)
    text += "kernel_" + std::to_string(i) + "," + std::to_string(i * 2 * microseconds * 1000) + "," +
            std::to_string(microseconds * 1000) + ",7\n";
  write_file(folder.file(name + ".csv"), text);
  EXPECT_EQ(run_kernwatt({"attribute", folder.file(name + ".csv"), "-o", folder.file(name + ".kw")}).status, 0);
  return folder.file(name + ".kw");
}

TEST(Compare, ARegressionHasAnExitStatusOfItsOwn) {
  const TemporaryFolder folder;
  const std::string before = irregular(folder, "before", 100);
  const std::string after = irregular(folder, "after", 103);
  const auto with = [&](const std::string& limit) {
    return run_kernwatt({"compare", before, after, "--fail-on-regression", limit});
  };
  const Ended failed = with("2%");
  EXPECT_EQ(failed.status, 11) << "there is no energy, so the time counts: it rose by 3 %";
  EXPECT_THAT(failed.errors, HasSubstr("time rose by 3.0 %, more than the 2 %"));
  EXPECT_THAT(failed.output, HasSubstr("+3.0 %"));
  EXPECT_EQ(with("0.02").status, 11);
  EXPECT_EQ(with("4%").status, 0);
  EXPECT_EQ(run_kernwatt({"compare", after, before, "--fail-on-regression", "0%"}).status, 0) << "it became faster";
}

TEST(Compare, SaysWhatItNeeds) {
  const SmallRecording recording;
  const std::string run = recording.run();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"compare"},
                                                {"compare", run},
                                                {"compare", run, run, run},
                                                {"compare", run, run, "--by", "iteration"},
                                                {"compare", run, run, "--fail-on-regression", "much"},
                                                {"compare", run, run, "--regression-in", "watts"}}) {
    const Ended ended = run_kernwatt(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.errors, HasSubstr("kernwatt: "));
    EXPECT_THAT(ended.output, IsEmpty());
  }
  EXPECT_EQ(run_kernwatt({"compare", run, recording.trace()}).status, 4);
  EXPECT_EQ(run_kernwatt({"compare", run, "/nowhere/b.kw"}).status, 3);
}

TEST(Html, IsWrittenByAttributeShowAndCompare) {
  const SmallRecording recording;
  const std::string run = recording.run();
  const std::string page = recording.file("page.html");
  ASSERT_EQ(run_kernwatt({"attribute", recording.trace(), "--power", recording.power(), "--html", page}).status, 0);
  EXPECT_THAT(read_file(page), HasSubstr("kernwatt-attribution"));
  const Ended again = run_kernwatt({"show", run, "--html", page});
  EXPECT_EQ(again.status, 2) << "it exists";
  EXPECT_EQ(run_kernwatt({"show", run, "--html", page, "--force"}).status, 0);
  EXPECT_THAT(run_kernwatt({"show", run, "--html", "-"}).output, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(run_kernwatt({"compare", run, run, "--html", "-"}).output, HasSubstr("kernwatt-comparison"));
}

TEST(CompareCommand, ARunOfPowerLogsAloneIsRefusedAndHasNoPage) {
  const SmallRecording recording;
  ASSERT_EQ(run_kernwatt({"power", recording.power(), "-o", recording.file("power.kw")}).status, 0);
  const Ended ended = run_kernwatt({"compare", recording.run(), recording.file("power.kw")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, testing::HasSubstr("power logs only"));
  EXPECT_EQ(run_kernwatt({"show", recording.file("power.kw"), "--html", recording.file("p.html")}).status, 2);
}

}  // namespace
}  // namespace kernwatt
