// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/program.hpp"
#include "tests/integration/small_recording.hpp"

/// Two ranks on two machines: each computes for a while of its own in steps of 100 ms, then both reduce until 80 ms
/// have passed. Rank 1 is slower. 600 W while computing, 250 W in the collective, 120 W idle: made, not measured.
namespace kernwatt {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::int64_t start_ns = 1'796'000'000'000'000'000;
constexpr int steps = 60;

class TwoRanks {
 public:
  TwoRanks() {
    for (const int rank : {0, 1}) {
      write_trace(rank, rank == 0 ? 30'000 : 60'000);
      write_log(rank, rank == 0 ? 30'000 : 60'000);
    }
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

  Ended attribute(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"attribute",       file("rank0.json"), file("rank1.json"), "--power",
                                   file("node0.csv"), "--power",          file("node1.csv")};
    words.insert(words.end(), more.begin(), more.end());
    return run_kernwatt(words);
  }

 private:
  void write_trace(int rank, int compute_us) const {
    std::string events;
    const auto kernel = [&](const char* name, int stream, int ts, int dur) {
      events += fmt::format(R"({}{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
                            R"("args":{{"device":0,"stream":{},"grid":[64,1,1],"block":[256,1,1]}}}})",
                            events.empty() ? "" : ",\n", name, stream, ts, dur, stream);
    };
    for (int i = 0; i < steps; ++i) {
      kernel("void gemm<128>(float*)", 7, i * 100'000, compute_us);
      kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, i * 100'000 + compute_us, 80'000 - compute_us + 4 * rank);
    }
    write_file(file(fmt::format("rank{}.json", rank)),
               fmt::format(R"({{"baseTimeNanoseconds":{},"distributedInfo":{{"rank":{},"world_size":2}},)"
                           R"("traceEvents":[{}]}})",
                           start_ns, rank, events));
  }

  void write_log(int rank, int compute_us) const {
    std::string rows = "time_ns,index,energy_mj,power_instant_mw\n";
    std::int64_t energy_mj = 1'000'000'000LL * (1 + 5 * rank);
    for (int poll = -100; poll < 700; ++poll) {
      const int us = poll * 10'000;
      const int phase = us % 100'000;
      const bool runs = us >= 0 && us < steps * 100'000 && phase < 80'000;
      const int watts = !runs ? 120 : phase < compute_us ? 600 : 250;
      energy_mj += watts * 10;
      rows += fmt::format("{},0,{},{}\n", start_ns + poll * 10'000'000LL, energy_mj, watts * 1000);
    }
    write_file(file(fmt::format("node{}.csv", rank)), rows);
  }

  TemporaryFolder folder_;
};

TEST(Ranks, DeviceZeroOfTwoMachinesIsAskedForAndMapped) {
  const TwoRanks ranks;
  const Ended asked = ranks.attribute({});
  EXPECT_EQ(asked.status, 2) << asked.errors;
  EXPECT_THAT(asked.errors, HasSubstr("--map rank0:0="));
  const Ended mapped = ranks.attribute({"--map", "rank0=node0.csv:0", "--map", "rank1=node1.csv:0"});
  EXPECT_EQ(mapped.status, 0) << mapped.errors;
  EXPECT_THAT(mapped.output, HasSubstr("2 GPUs together"));
}

TEST(Ranks, WaitingIsToldFromMovingData) {
  const TwoRanks ranks;
  const json document =
      json::parse(ranks.attribute({"--map", "rank0=node0.csv:0,rank1=node1.csv:0", "--json", "-"}).output);
  EXPECT_EQ(document["traces"][0]["comm_waiting_ns"], steps * 30'000'000LL);
  EXPECT_EQ(document["traces"][1]["comm_waiting_ns"], 0);
  double waiting_j = 0;
  double phase_j = 0;
  for (const json& row : document["combined"]) {
    if (row["view"] != "phase") continue;
    phase_j += row["energy_j"].get<double>();
    const auto& flags = row["flags"];
    if (std::find(flags.begin(), flags.end(), "waiting") != flags.end()) waiting_j += row["energy_j"].get<double>();
  }
  EXPECT_NEAR(phase_j, document["energy"]["total_j"].get<double>(), 1e-3);
  constexpr double truth_j = steps * 0.030 * 250;
  EXPECT_NEAR(waiting_j, truth_j, 0.05 * truth_j);
}

TEST(Ranks, RowsOfEachGpuAndOfAllTogetherAddUpToTheSame) {
  const TwoRanks ranks;
  const json document =
      json::parse(ranks.attribute({"--map", "rank0=node0.csv:0,rank1=node1.csv:0", "--json", "-"}).output);
  for (const char* view : {"class", "category", "operator", "layer", "phase", "iteration"}) {
    double each = 0;
    double together = 0;
    for (const json& row : document["rows"])
      if (row["view"] == view && !row["energy_j"].is_null()) each += row["energy_j"].get<double>();
    for (const json& row : document["combined"])
      if (row["view"] == view && !row["energy_j"].is_null()) together += row["energy_j"].get<double>();
    EXPECT_NEAR(each, together, 1e-6) << view;
  }
}

TEST(Ranks, TheExportedTraceKeepsTheirGpusApart) {
  const TwoRanks ranks;
  ASSERT_EQ(
      ranks.attribute({"--map", "rank0=node0.csv:0,rank1=node1.csv:0", "--keep-launches", "-o", ranks.file("ranks.kw")})
          .status,
      0);
  ASSERT_EQ(run_kernwatt({"export", ranks.file("ranks.kw"), "--perfetto", ranks.file("ranks.json")}).status, 0);
  const json again = json::parse(run_kernwatt({"attribute", ranks.file("ranks.json"), "--json", "-"}).output);
  EXPECT_EQ(again["traces"][0]["gpus"].size(), 2U);
  EXPECT_EQ(again["traces"][0]["busy_union_ns"], 2 * steps * 80'000'000LL + steps * 4'000LL);
}

TEST(Ranks, OneGpuIsNotCountedForTwoTracesOfOneTime) {
  const TwoRanks ranks;
  const Ended twice = ranks.attribute({"--map", "rank0=node0.csv:0,rank1=node0.csv:0"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.errors, HasSubstr("twice"));
}

TEST(Ranks, ALogMayHaveAnOffsetOfItsOwn) {
  const TwoRanks ranks;
  const Ended ended = ranks.attribute(
      {"--map", "rank0=node0.csv:0,rank1=node1.csv:0", "--time-offset", "node1.csv=0.02", "--json", "-"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("time.offset-given"));
  EXPECT_EQ(ranks.attribute({"--time-offset", "node7.csv=1"}).status, 2);
  EXPECT_EQ(ranks.attribute({"--time-offset", "node1.csv=soon"}).status, 2);
}

}  // namespace
}  // namespace kernwatt
