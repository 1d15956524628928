// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/run_file.hpp"
#include "tests/integration/program.hpp"
#include "tests/integration/small_recording.hpp"

namespace kernwatt {
namespace {

using nlohmann::json;

class Export : public testing::Test {
 protected:
  /// The Run of the recording with all its launches.
  std::string kept() const {
    const Ended ended = run_kernwatt({"attribute", recording_.trace(), "--power", recording_.power(), "--keep-launches",
                                      "-o", recording_.file("kept.kw")});
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return recording_.file("kept.kw");
  }
  std::string exported(const std::string& run, const std::string& name) const {
    const Ended ended = run_kernwatt({"export", run, "--perfetto", recording_.file(name)});
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return recording_.file(name);
  }
  SmallRecording recording_;
};

TEST_F(Export, ReadAgainTheTraceHasTheSameLaunches) {
  const std::string run = kept();
  const Result<run::Run> before = run::load_run(run);
  ASSERT_TRUE(before);
  const Result<run::Trace> after = readers::read_trace(exported(run, "trace.json.gz"), {});
  ASSERT_TRUE(after) << after.error().text();
  ASSERT_EQ(after->launches.size(), before->traces.at(0).launches.size());
  EXPECT_TRUE(after->time_is_absolute);
  for (std::size_t i = 0; i < after->launches.size(); ++i) {
    const run::Launch& a = before->traces[0].launches[i];
    const run::Launch& b = after->launches[i];
    ASSERT_EQ(a.start_ns, b.start_ns) << "to the nanosecond";
    ASSERT_EQ(a.duration_ns, b.duration_ns);
    const run::KernelClass& of_a = before->traces[0].classes[a.kernel_class];
    const run::KernelClass& of_b = after->classes[b.kernel_class];
    ASSERT_EQ(before->traces[0].names.at(of_a.name), after->names.at(of_b.name));
    ASSERT_EQ(of_a.grid, of_b.grid);
    ASSERT_EQ(of_a.block, of_b.block);
  }
}

TEST_F(Export, EveryLaunchHasItsJoulesAndTheySumToTheRows) {
  const std::string run = kept();
  const json trace = json::parse(read_file(exported(run, "trace.json")));
  double sum_j = 0;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X") sum_j += event["args"].value("energy_j", 0.0);
  double rows_j = 0;
  const Result<run::Run> loaded = run::load_run(run);
  ASSERT_TRUE(loaded);
  for (const run::Row& row : loaded->attribution.rows)
    if (row.view == run::View::kernel_class) rows_j += row.energy_j.value_or(0);
  EXPECT_NEAR(sum_j, rows_j, 0.02 * rows_j);
}

TEST_F(Export, EventsFollowTheFormat) {
  const json trace = json::parse(read_file(exported(kept(), "trace.json")));
  EXPECT_TRUE(trace["baseTimeNanoseconds"].is_number_integer());
  std::map<std::string, int> open;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    EXPECT_THAT((std::vector<std::string>{"X", "M", "C", "b", "e"}), testing::Contains(phase));
    EXPECT_TRUE(event["pid"].is_number_integer() && event["tid"].is_number_integer());
    if (phase != "M") {
      EXPECT_GE(event["ts"].get<double>(), 0);
    }
    if (phase == "X") {
      EXPECT_GE(event["dur"].get<double>(), 0);
    }
    if (phase == "b") ++open[event["id"]];
    if (phase == "e") --open[event["id"]];
  }
  for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << id;
}

TEST_F(Export, WithoutLaunchesTheIterationStandsInAndSaysSo) {
  const std::string run = recording_.run();
  const json trace = json::parse(read_file(exported(run, "iteration.json")));
  const std::size_t expected = run::load_run(run)->iteration.launches.size();
  std::size_t kernels = 0;
  for (const json& event : trace["traceEvents"]) kernels += event["ph"] == "X" && event["cat"] == "kernel" ? 1 : 0;
  EXPECT_EQ(kernels, expected);
  if (expected > 0) {
    EXPECT_TRUE(trace["otherData"].contains("launches"));
  }
}

TEST_F(Export, ARunOfPowerLogsHasWattsAndPhases) {
  ASSERT_EQ(run_kernwatt({"power", recording_.power(), "-o", recording_.file("power.kw")}).status, 0);
  const json trace = json::parse(read_file(exported(recording_.file("power.kw"), "power.json")));
  bool watts = false;
  bool phase = false;
  for (const json& event : trace["traceEvents"]) {
    watts = watts || (event["ph"] == "C" && event["args"].contains("W"));
    phase = phase || (event["ph"] == "b" && event["cat"] == "power phase");
  }
  EXPECT_TRUE(watts);
  EXPECT_TRUE(phase);
}

TEST_F(Export, CsvAndJsonAreThoseOfShow) {
  const std::string run = recording_.run();
  ASSERT_EQ(
      run_kernwatt({"export", run, "--csv", recording_.file("all.csv"), "--json", recording_.file("all.json")}).status,
      0);
  EXPECT_EQ(read_file(recording_.file("all.json")), run_kernwatt({"show", run, "--json", "-"}).output);
  const std::string all = read_file(recording_.file("all.csv"));
  for (const std::string view : {"class", "layer", "iteration"}) {
    const std::string one = run_kernwatt({"show", run, "--by", view, "--csv", "-"}).output;
    EXPECT_NE(all.find(one.substr(one.find('\n') + 1)), std::string::npos) << view;
  }
}

TEST_F(Export, NeedsAnOutputAndNeverReplacesOneUnasked) {
  const std::string run = recording_.run();
  EXPECT_EQ(run_kernwatt({"export", run}).status, 2);
  EXPECT_EQ(run_kernwatt({"export"}).status, 2);
  write_file(recording_.file("mine"), "precious");
  EXPECT_EQ(run_kernwatt({"export", run, "--perfetto", recording_.file("mine")}).status, 2);
  EXPECT_EQ(read_file(recording_.file("mine")), "precious");
  EXPECT_EQ(run_kernwatt({"export", run, "--perfetto", "/dev/full"}).status, 3);
  EXPECT_EQ(run_kernwatt({"export", recording_.trace(), "--json", "-"}).status, 4);
}

}  // namespace
}  // namespace kernwatt
