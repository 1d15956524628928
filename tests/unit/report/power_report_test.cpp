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
  for (const std::size_t width : {80U, 100U, 120U, 200U})
    for (const int gpus : {0, 1, 8}) {
      run::Run run = sample_logs();
      run.quality.add("power.format", Severity::info, "how it was read");
      std::istringstream lines(power_text(run, sample_report(gpus), {false, true, width}));
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

// Snapshots of whole machines: what each says in a line of the table is not said again.
TEST(PowerText, OfManyGpusOnlyThoseWithMoreToSayHaveABlock) {
  run::PowerReport report = sample_report(8);
  report.phases.clear();
  const std::string quiet = power_text(sample_logs(), report, {});
  EXPECT_THAT(quiet, HasSubstr("8 × NVIDIA H200"));
  EXPECT_EQ(quiet.find("\nGPU 3"), std::string::npos);
  report.gpus[3].missing = 5;
  const std::string one = power_text(sample_logs(), report, {});
  EXPECT_NE(one.find("\nGPU 3"), std::string::npos);
  EXPECT_EQ(one.find("\nGPU 4"), std::string::npos);
  for (run::PowerGpu& gpu : report.gpus) {
    gpu.missing = 0;
    gpu.energy = {};
    gpu.believed = "one reading is a power at an instant";
  }
  const std::string all = power_text(sample_logs(), report, {});
  EXPECT_THAT(all, HasSubstr("All 8 GPUs\n"));
  EXPECT_EQ(all.find("one reading is"), all.rfind("one reading is"));
}

TEST(PowerText, EntriesThatSayTheSameOfSeveralGpusAreOne) {
  run::Run run = sample_logs();
  for (int gpu = 0; gpu < 6; ++gpu) {
    run.quality.add("power.a", Severity::warning, "GPU " + std::to_string(gpu) + ": is odd");
    run.quality.add("power.b", Severity::warning,
                    "GPU " + std::to_string(gpu) + ": is odd by " + std::to_string(gpu) + ".5 s");
  }
  run.quality.add("power.c", Severity::warning, "something: else");
  const std::string text = power_text(run, sample_report(8), {false, true, 120});
  EXPECT_THAT(text, HasSubstr("GPU 0, GPU 1, GPU 2, GPU 3, GPU 4, GPU 5: is odd\n"));
  EXPECT_THAT(text, HasSubstr("GPU 0: is odd by 0.5 s. Likewise, each with numbers of its own: GPU 1, GPU 2"));
  EXPECT_EQ(text.find("GPU 3: is odd by"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("something: else"));
}

TEST(PowerText, AGpuKnownByItsUuidAloneIsNamedOnce) {
  run::PowerReport report = sample_report(1);
  report.gpus[0].gpu.index.reset();
  const std::string text = power_text(sample_logs(), report, {});
  EXPECT_THAT(text, HasSubstr("\n" + report.gpus[0].gpu.uuid + "  NVIDIA H200\n"));
  report.gpus[0].gpu = {{}, "", "00000000:1B:00.0", "", "", {}};
  report.gpus[0].name = "00000000:1B:00.0";
  EXPECT_THAT(power_text(sample_logs(), report, {}), HasSubstr("\nGPU 00000000:1B:00.0\n"));
}

TEST(PowerText, AGpuNamedByItsFileHasThatName) {
  run::PowerReport report = sample_report(2);
  for (run::PowerGpu& gpu : report.gpus) gpu.named_by_file = true;
  report.gpus[0].name = "GPU 0 of a.csv";
  report.gpus[1].name = "GPU 0 of b.csv";
  const std::string text = power_text(sample_logs(), report, {});
  EXPECT_THAT(text, HasSubstr("\nGPU 0 of a.csv"));
  EXPECT_THAT(text, HasSubstr("\nGPU 0 of b.csv"));
}

TEST(PowerText, AMomentIsNoWindow) {
  run::PowerReport report = sample_report(1);
  report.total.end_ns = report.total.start_ns;
  const std::string text = power_text(sample_logs(), report, {});
  EXPECT_THAT(text, HasSubstr("moment"));
  EXPECT_EQ(text.find("window"), std::string::npos);
}

run::RecordedTotal recorded(const std::string& name, std::optional<int> gpu, double duration_s, double energy_j) {
  run::RecordedTotal total;
  total.name = name;
  total.gpu.index = gpu;
  total.duration_s = duration_s;
  total.energy_j = energy_j;
  return total;
}

// Zeus: a row per GPU of each window, and windows may lie in one another.
TEST(PowerText, AWindowIsSummedOverItsGpus) {
  run::Run run = sample_logs();
  run.power[0].totals = {recorded("a", 0, 10, 1000), recorded("a", 1, 10, 2000), recorded("b", 0, 5, 500)};
  const std::string text = power_text(run, sample_report(0), {});
  EXPECT_THAT(text, HasSubstr("3.00 kJ  10.0 s  300 W  all 2 GPUs  a"));
  EXPECT_EQ(text.find("sum of"), std::string::npos);
}

// CodeCarbon writes the row of a run that goes on again, with what it has used since its start.
TEST(PowerText, RunsAreSummedAndARunThatGrowsCountsOnce) {
  run::Run run = sample_logs();
  run.power[0].totals = {recorded("run", {}, 10, 100), recorded("run", {}, 20, 250), recorded("other", {}, 10, 1000)};
  EXPECT_THAT(power_text(run, sample_report(0), {}), HasSubstr("1.25 kJ"));
  EXPECT_THAT(power_text(run, sample_report(0), {}), HasSubstr("sum of 2 runs (3 rows"));
}

TEST(PowerText, ANameOfAGpuIsNotCutWhereTheLineHasRoom) {
  run::Run run = sample_logs();
  run.power[0].totals = {recorded("0a578547-1d6b-4e2f-be0c-7ad10f2f7c97", {}, 10, 100)};
  run.power[0].totals[0].gpu.name = "Tesla P100-PCIE-16GB";
  run.power[0].totals[0].gpu_count = 1;
  EXPECT_THAT(power_text(run, sample_report(0), {}),
              HasSubstr("Tesla P100-PCIE-16GB  0a578547-1d6b-4e2f-be0c-7ad10f2f7c97"));
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
