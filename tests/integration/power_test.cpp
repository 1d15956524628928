// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernwatt/report/utf8.hpp"
#include "tests/integration/program.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// 60 s at 80 W, 100 s at 700 W, 40 s at 80 W, once a second, for each of the GPUs.
std::string job_log(int gpus) {
  std::string text = "timestamp, index, uuid, power.draw [W]\n";
  for (int t = 0; t < 200; ++t)
    for (int gpu = 0; gpu < gpus; ++gpu)
      fmt::format_to(std::back_inserter(text),
                     "2026/03/01 12:{:02}:{:02}.000, {}, GPU-{:08x}-0000-1111-2222-333344445555, {}.00 W\n", t / 60,
                     t % 60, gpu, gpu, t >= 60 && t < 160 ? 700 : 80);
  return text;
}

class Power : public testing::Test {
 protected:
  Power() { write_file(log_, job_log(1)); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  TemporaryFolder folder_;
  std::string log_ = folder_.file("smi.csv");
};

TEST_F(Power, ShowsEnergyAndPhases) {
  const Ended ended = run_kernwatt({"power", log_});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("work"));
  EXPECT_THAT(ended.output, HasSubstr("700 W"));
  EXPECT_THAT(ended.output, HasSubstr("█"));
}

TEST_F(Power, ACleanLogIsQuietAboutQuality) {
  const std::string text = run_kernwatt({"power", log_}).output;
  const std::size_t at = text.find("Quality of these numbers");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'), 2);
}

TEST_F(Power, JsonIsOfItsOwnKind) {
  const json document = json::parse(run_kernwatt({"power", log_, "--json", "-"}).output);
  EXPECT_EQ(document["kind"], "power");
  EXPECT_EQ(document["schema"], 1);
  EXPECT_EQ(document["power"].size(), 1U);
  EXPECT_EQ(document["phases"].size(), 3U);
  EXPECT_EQ(document["phases"][1]["name"], "work");
  EXPECT_NEAR(document["phases"][1]["power_w"].get<double>(), 700, 1e-6);
}

TEST_F(Power, AStretchIsCutAtItsTimes) {
  const json document = json::parse(run_kernwatt({"power", log_, "--from", "60", "--to", "159", "--json", "-"}).output);
  EXPECT_NEAR(document["energy"]["total_j"].get<double>(), 69'300, 1e-6);
  EXPECT_EQ(run_kernwatt({"power", log_, "--from", "900"}).status, 2);
  EXPECT_EQ(run_kernwatt({"power", log_, "--from", "soon"}).status, 2);
}

TEST_F(Power, OneGpuInTwoFilesCountsOnce) {
  write_file(file("again.csv"), job_log(2));
  const json document = json::parse(run_kernwatt({"power", log_, file("again.csv"), "--json", "-"}).output);
  EXPECT_EQ(document["gpus"].size(), 2U);
  const json one = json::parse(run_kernwatt({"power", file("again.csv"), "--gpu", "1", "--json", "-"}).output);
  EXPECT_EQ(one["gpus"].size(), 1U);
  EXPECT_EQ(one["gpus"][0]["identity"]["index"], 1);
}

TEST_F(Power, ARunOfLogsIsShownAgainAsItWas) {
  const Ended first = run_kernwatt({"power", log_, "-o", file("run.kw")});
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(run_kernwatt({"show", file("run.kw")}).output, first.output);
  EXPECT_EQ(json::parse(run_kernwatt({"show", file("run.kw"), "--json", "-"}).output)["kind"], "power");
  EXPECT_TRUE(run_kernwatt({"show", file("run.kw"), "--csv", "-"}).output.starts_with("row,gpu,phase,"));
}

// BUGLOG B04: what cannot be told is no error, but --strict refuses it.
TEST_F(Power, ALogWithoutReadingsIsSaidSoAndRefusedByStrict) {
  write_file(file("na.csv"),
             "timestamp, index, power.draw [W]\n2026/03/01 12:00:00.000, 0, [N/A]\n"
             "2026/03/01 12:00:01.000, 0, [N/A]\n");
  const Ended ended = run_kernwatt({"power", file("na.csv"), "--json", file("na.json")});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("power.gpu-without-power"));
  EXPECT_TRUE(json::parse(read_file(file("na.json")))["energy"]["total_j"].is_null());
  EXPECT_EQ(run_kernwatt({"power", file("na.csv"), "--strict"}).status, 10);
  EXPECT_EQ(run_kernwatt({"power", log_, "--strict"}).status, 0);
}

TEST_F(Power, WrongWordsAreRefusedBeforeTheWork) {
  EXPECT_EQ(run_kernwatt({"power"}).status, 2);
  EXPECT_EQ(run_kernwatt({"power", log_, "-o", "-"}).status, 2);
  EXPECT_EQ(run_kernwatt({"power", log_, "--json", log_, "--force"}).status, 2);
  EXPECT_EQ(run_kernwatt({"power", file("none.csv")}).status, 3);
  EXPECT_EQ(run_kernwatt({"power", log_, "--gpu", "7"}).status, 2);
}

TEST_F(Power, WrongWordsAreNamedForWhatTheyAre) {
  EXPECT_THAT(run_kernwatt({"power", log_, "--from", "yesterday"}).errors, HasSubstr("seconds from the first reading"));
  EXPECT_THAT(run_kernwatt({"power", log_, "--from", "3", "--to", "1"}).errors, HasSubstr("--to is before --from"));
  EXPECT_EQ(run_kernwatt({"power", log_, "--by", "phase"}).errors.find("did you mean"), std::string::npos);
  EXPECT_THAT(run_kernwatt({"-V"}).errors, HasSubstr("did you mean --version?"));
}

TEST_F(Power, ColumnsAreHonouredInAPipe) {
  const auto widest_line = [&](const std::string& columns) {
    std::istringstream lines(run_shell("COLUMNS=" + columns + " \"$KERNWATT\" power '" + log_ + "'").output);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, report::display_width(line));
    return longest;
  };
  EXPECT_EQ(widest_line("120"), 120U);
  EXPECT_EQ(widest_line("80"), 80U);
  EXPECT_LE(widest_line("wide"), 100U);
}

// Each power log that came with the project, whatever is odd about it.
TEST_F(Power, TheJsonOfEverySharedLogFollowsItsSchema) {
  const char* dir = std::getenv("KERNWATT_SHARED_DIR");
  const std::filesystem::path traces =
      std::filesystem::path(dir != nullptr ? dir : KERNWATT_SOURCE_DIR "/../shared") / "data" / "traces";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "the shared recordings are not here; set KERNWATT_SHARED_DIR";
  const std::string root = KERNWATT_SOURCE_DIR;
  std::string command =
      "python3 '" + root + "/tests/unit/report/check_schema.py' '" + root + "/docs/schema/power.schema.json'";
  std::size_t documents = 0;
  for (const char* folder : {"power", "derived", "replay", "clocks"})
    for (const auto& entry : std::filesystem::directory_iterator(traces / folder)) {
      const std::string json_file = file(std::to_string(documents) + ".json");
      const Ended ended = run_kernwatt({"power", entry.path().string(), "--json", json_file});
      if (ended.status == 4 || ended.status == 6) continue;  // a trace, or notes beside a log
      ASSERT_EQ(ended.status, 0) << entry.path() << ended.errors;
      ++documents;
      command += " '" + json_file + "'";
    }
  EXPECT_GT(documents, 100U);
  const Ended checked = run_shell(command);
  if (checked.status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
  EXPECT_EQ(checked.status, 0) << checked.output;
}

TEST_F(Power, WithoutUtf8ThePowerOverTimeIsPlain) {
  const Ended ended = run_shell("LC_ALL=C \"$KERNWATT\" power '" + log_ + "'");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.output.find("▇"), std::string::npos);
  EXPECT_EQ(ended.output.find("█"), std::string::npos);
  EXPECT_THAT(ended.output, HasSubstr("####"));
}

}  // namespace
}  // namespace kernwatt
