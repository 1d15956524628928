// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernwatt/report/csv/power_csv.hpp"
#include "kernwatt/report/json/power_json.hpp"
#include "kernwatt/report/perfetto/perfetto_trace.hpp"
#include "kernwatt/report/text/power_text.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::int64_t start_ns = 1'772'366'400'000'000'000;

run::PowerEnergy energy(double joules, double seconds) {
  run::PowerEnergy energy;
  energy.source = "counter";
  energy.energy_j = energy.counter_j = joules;
  energy.integral_j = joules * 1.01;
  energy.energy_ci95_j = run::Interval{joules * 0.99, joules * 1.01};
  energy.mean_w = joules / seconds;
  return energy;
}

run::PowerReport sample_report(int gpus) {
  run::PowerReport report;
  for (int i = 0; i < gpus; ++i) {
    run::PowerGpu& gpu = report.gpus.emplace_back();
    gpu.gpu = {i, "GPU-0123456" + std::to_string(i) + "-aaaa-bbbb-cccc-ddddeeeeffff", "", "NVIDIA H200", "", {}};
    gpu.name = gpu.gpu.uuid;
    gpu.files = {"/data/smi.csv"};
    gpu.formats = {"nvidia-smi-csv"};
    gpu.sensor = "power.draw";
    gpu.samples = 1000;
    gpu.stale = 900;
    gpu.start_ns = start_ns;
    gpu.end_ns = start_ns + 100'000'000'000;
    gpu.poll_s = 0.1;
    gpu.update = {1.0, "found"};
    gpu.counter_update = {0.1, "found"};
    gpu.counter_step_j = 60;
    gpu.min_w = 80;
    gpu.mean_w = 500;
    gpu.max_w = 700;
    gpu.energy = energy(50'000, 100);
    gpu.disagreement = 0.99;
    gpu.believed = "the energy counter";
    gpu.profile_bin_s = 1;
    for (int bin = 0; bin < 100; ++bin) gpu.profile_w.emplace_back(bin < 20 ? 80 : 700);
    const auto id = static_cast<std::uint32_t>(i);
    report.phases.push_back({id, "idle", start_ns, start_ns + 20'000'000'000, energy(1600, 20), {}});
    report.phases.push_back({id, "work", start_ns + 20'000'000'000, *gpu.end_ns, energy(48'400, 80), 1.5});
  }
  report.total = {50'000.0 * gpus,
                  run::Interval{49'000.0 * gpus, 51'000.0 * gpus},
                  500.0 * gpus,
                  "counter",
                  static_cast<std::uint64_t>(gpus),
                  static_cast<std::uint64_t>(gpus),
                  {},
                  false,
                  start_ns,
                  start_ns + 100'000'000'000};
  return report;
}

/// Logs of totals and clocks too, with names that are no text.
run::Run sample_logs() {
  run::Run run;
  run::PowerLog& log = run.power.emplace_back();
  log.file = "/data/smi\xff.csv";
  log.format = "nvidia-smi-csv";
  run::RecordedTotal& total = log.totals.emplace_back();
  total.name = "train \"7\"\n";
  total.energy_j = 3.6e6;
  total.duration_s = 7200;
  run::SupportedClocks& clocks = log.supported_clocks.emplace_back();
  clocks.gpu.index = 0;
  clocks.memory.push_back({3201, {1980, 1965, 1950}});
  clocks.memory.push_back({405, {}});
  run.attribution.power.push_back({"/data/smi.csv", "nvidia-smi-csv", "0", 1000, 0, start_ns, {}, 50'000, {}, 0.1});
  return run;
}

TEST(PowerText, FitsTheTerminal) {
  for (const std::size_t width : {80U, 120U})
    for (const int gpus : {0, 1, 8}) {
      std::istringstream lines(power_text(sample_logs(), sample_report(gpus), {false, true, width}));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
    }
}

TEST(PowerText, NamesTotalsForWhatTheyAre) {
  const std::string text = power_text(sample_logs(), sample_report(0), {});
  EXPECT_THAT(text, HasSubstr("Recorded totals"));
  EXPECT_THAT(text, HasSubstr("without the readings behind them"));
  EXPECT_THAT(text, HasSubstr("3.60 MJ"));
  EXPECT_THAT(text, HasSubstr("memory 3201 MHz: 3 core clocks, 1950 to 1980 MHz, steps of 15 MHz"));
}

TEST(PowerText, WithoutUtf8HasNoBlocks) {
  const std::string text = power_text(sample_logs(), sample_report(1), {false, false, 100});
  EXPECT_EQ(text.find("█"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("####"));
}

TEST(PowerCsv, HasARowForEachGpuAndPhase) {
  const std::string csv = power_csv(sample_report(2));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
}

int check_schema(const std::string& document) {
  std::string path = ::testing::TempDir() + "kernwatt-power-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  ::close(descriptor);
  std::ofstream(path) << document;
  const std::string root = KERNWATT_SOURCE_DIR;
  const std::string command = "python3 '" + root + "/tests/unit/report/check_schema.py' '" + root +
                              "/docs/schema/power.schema.json' '" + path + "'";
  const int status = std::system(command.c_str());  // NOLINT(bugprone-command-processor): our own script
  ::unlink(path.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(PowerJson, FollowsItsSchema) {
  run::PowerReport empty = sample_report(1);
  empty.gpus[0].energy = {};
  empty.gpus[0].energy.source = "none";
  empty.gpus[0].profile_w.emplace_back();
  empty.total = {};
  empty.total.source = "none";
  empty.phases.clear();
  for (const run::PowerReport& report : {sample_report(0), sample_report(1), sample_report(8), empty}) {
    run::PowerReport used = report;
    if (used.total.source.empty()) used.total.source = "none";
    const int status = check_schema(power_json(sample_logs(), used));
    if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(check_schema(R"({"kind": "power", "schema": 1})"), 1);
}

std::string perfetto(const run::Run& run) {
  std::string text;
  EXPECT_TRUE(write_perfetto(run, nullptr, [&](std::string_view piece) {
    text += piece;
    return Status();
  }));
  return text;
}

/// Launches that overlap on one stream, with a name that needs escapes.
run::Run overlapping() {
  run::Run run;
  run::Trace& trace = run.traces.emplace_back();
  const run::NameId name = trace.names.intern("gemm \"a\\b\"\n\x01\xff 中");
  trace.gpus.emplace_back();
  trace.streams.push_back({0, trace.names.intern("7")});
  trace.classes.push_back({name, run::LaunchKind::kernel, run::Dim3{1, 2, 3}, {}, {}, {}});
  for (const auto& [start, duration] : {std::pair(0, 100), std::pair(50, 100), std::pair(60, 10), std::pair(120, 60),
                                        std::pair(150, 0), std::pair(200, 1)})
    trace.launches.push_back({start_ns + start, duration, 0, 0, run::none, run::none});
  return run;
}

TEST(Perfetto, SlicesOfAThreadNestOrFollowEachOther) {
  const json trace = json::parse(perfetto(overlapping()));
  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const std::int64_t start = std::llround(event["ts"].get<double>() * 1000);
    threads[event["tid"]].emplace_back(start, start + std::llround(event["dur"].get<double>() * 1000));
  }
  std::size_t slices = 0;
  for (const auto& [thread, of_thread] : threads) {
    slices += of_thread.size();
    for (const auto& a : of_thread)
      for (const auto& b : of_thread) EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second);
  }
  EXPECT_EQ(slices, 6U);
  EXPECT_GE(threads.size(), 2U);
}

TEST(Perfetto, NamesAreValidTextAndTimesKeepEachDigit) {
  const std::string text = perfetto(overlapping());
  EXPECT_THAT(text, HasSubstr(R"("name":"gemm \"a\\b\"\u000a\u0001)"));
  EXPECT_THAT(text, HasSubstr(R"("ts":0.060,"dur":0.010)"));
  EXPECT_EQ(json::parse(text)["baseTimeNanoseconds"], start_ns);
}

TEST(Perfetto, AnIterationWithTimesBeyondTimeIsWrittenWithoutOverflow) {
  run::Run run;
  run.classes.emplace_back().name = "k";
  run.iteration.phases = {"p"};
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t t : {most, std::int64_t{0}, std::numeric_limits<std::int64_t>::min()})
    run.iteration.launches.push_back({0, 0, run::none, 0, t, t});
  run.attribution.total.start_ns = most - 5;
  EXPECT_TRUE(json::parse(perfetto(run)).contains("traceEvents"));
}

TEST(Perfetto, AFailingOutputEndsTheWriting) {
  const Status status = write_perfetto(overlapping(), nullptr, [](std::string_view) {
    return Status(Error{ErrorCode::io, "no space", ""});
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace kernwatt::report
