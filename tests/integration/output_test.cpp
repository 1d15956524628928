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

class Output : public testing::Test {
 protected:
  SmallRecording recording_;
  std::string run_ = recording_.run();
};

TEST_F(Output, JsonOnStandardOutputComesAlone) {
  const Ended ended = run_kernwatt({"show", run_, "--json", "-"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(nlohmann::json::parse(ended.output)["kind"], "attribution");
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Output, CsvOnStandardOutputComesAlone) {
  const Ended ended = run_kernwatt({"show", run_, "--csv", "-"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.output.starts_with("view,id,"));
}

TEST_F(Output, FilesAreNeverOverwrittenUnasked) {
  write_file(recording_.file("mine"), "precious");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", run_, "--json", recording_.file("mine")},
        {"show", run_, "--csv", recording_.file("mine")},
        {"attribute", recording_.trace(), "-o", recording_.file("mine")}}) {
    const Ended ended = run_kernwatt(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.errors, HasSubstr("--force"));
    EXPECT_EQ(ended.output, "") << "refused before the work";
    EXPECT_EQ(read_file(recording_.file("mine")), "precious");
  }
  EXPECT_EQ(run_kernwatt({"show", run_, "--csv", recording_.file("mine"), "--force"}).status, 0);
  EXPECT_TRUE(read_file(recording_.file("mine")).starts_with("view,"));
}

TEST_F(Output, AnInputIsNeverOverwrittenEvenWithForce) {
  const std::string before = read_file(recording_.trace());
  const Ended ended = run_kernwatt({"attribute", recording_.trace(), "-o", recording_.trace(), "--force"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(read_file(recording_.trace()), before);
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", recording_.file("./run.kw"), "--force"}).status, 2);
}

TEST_F(Output, OneFileIsNotGivenTwoContents) {
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", "-", "--csv", "-"}).status, 2);
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", recording_.file("x"), "--csv", recording_.file("x")}).status, 2);
}

TEST_F(Output, AFullDiskIsAnErrorOfInputAndOutput) {
  const Ended table = run_shell("\"$KERNWATT\" show '" + run_ + "' > /dev/full");
  EXPECT_EQ(table.status, 3);
  EXPECT_THAT(table.errors, HasSubstr("standard output"));
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", "/dev/full"}).status, 3);
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", recording_.file("no/such/folder")}).status, 3);
}

TEST_F(Output, AReaderThatGoesAwayIsNothingToTalkAbout) {
  const Ended ended = run_shell("\"$KERNWATT\" show '" + run_ + "' | true; exit ${PIPESTATUS[0]}");
  EXPECT_TRUE(ended.status == 3 || ended.status == 0) << "0 when the pipe took it all before it was closed";
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Output, DevicesAndPipesAreWrittenAsTheyAre) {
  EXPECT_EQ(run_kernwatt({"show", run_, "--json", "/dev/null"}).status, 0);
  const Ended ended = run_shell("\"$KERNWATT\" show '" + run_ + "' --json /dev/stdout | head -c 1");
  EXPECT_EQ(ended.output, "{");
}

TEST_F(Output, HasNoColourAndNoProgressWithoutATerminal) {
  const Ended ended = run_kernwatt({"show", run_});
  EXPECT_EQ(ended.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Output, ADamagedRunIsBadData) {
  std::string content = read_file(run_);
  write_file(run_, content.substr(0, content.size() / 2));
  EXPECT_EQ(run_kernwatt({"show", run_}).status, 4);
  EXPECT_EQ(run_kernwatt({"show", recording_.trace()}).status, 4);
  EXPECT_EQ(run_kernwatt({"show", recording_.file("none.kw")}).status, 3);
}

}  // namespace
}  // namespace kernwatt
