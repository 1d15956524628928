// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/ranks/collective_waits.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "kernwatt/attribution/communication.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t start = 1'796'000'000'000'000'000;
constexpr std::int64_t us = 1000;

struct Ranks {
  std::vector<run::Trace> traces;
  std::vector<ProgramStructure> structures;
  QualityLedger quality;

  explicit Ranks(std::size_t count) : traces(count), structures(count) {
    for (std::size_t r = 0; r < count; ++r) {
      run::Trace& t = traces[r];
      t.file = "rank" + std::to_string(r);
      t.time_is_absolute = true;
      t.gpus.resize(1);
      t.streams.push_back({0, run::none});
      t.classes.resize(3);
      structures[r].class_category = {Category::communication, Category::communication, Category::matrix_product};
      structures[r].collective_of_class = {"all-reduce", "all-gather", ""};
    }
  }

  void run(std::size_t rank, std::uint32_t kernel_class, std::int64_t from_us, std::int64_t to_us) {
    run::Launch launch;
    launch.kernel_class = kernel_class;
    launch.stream = 0;
    launch.start_ns = start + from_us * us;
    launch.duration_ns = (to_us - from_us) * us;
    traces[rank].launches.push_back(launch);
  }

  /// Steps of 10 ms: each rank computes for a while of its own, then all reduce for 1 ms.
  void steps(int count, const std::vector<std::int64_t>& compute_us) {
    const std::int64_t slowest = *std::max_element(compute_us.begin(), compute_us.end());
    for (int i = 0; i < count; ++i)
      for (std::size_t r = 0; r < traces.size(); ++r) {
        const std::int64_t from = i * 10'000;
        run(r, 2, from, from + compute_us[r]);
        run(r, 0, from + compute_us[r], from + slowest + 1000 + static_cast<std::int64_t>(r) * 7);
      }
  }

  CollectiveWaits find() { return find_waits(traces, structures, quality); }
};

std::int64_t total(const std::vector<CollectiveWait>& waits) {
  return std::accumulate(waits.begin(), waits.end(), std::int64_t{0},
                         [](std::int64_t sum, const CollectiveWait& wait) { return sum + wait.waiting_ns; });
}

TEST(CollectiveWaits, TheFastRankWaitsForTheSlowOne) {
  Ranks ranks(3);
  ranks.steps(20, {3000, 5000, 4500});
  const CollectiveWaits waits = ranks.find();
  ASSERT_TRUE(waits.any);
  EXPECT_EQ(total(waits.of_trace[0]), 20 * 2000 * us);
  EXPECT_EQ(total(waits.of_trace[1]), 0);
  EXPECT_EQ(total(waits.of_trace[2]), 20 * 500 * us);
  EXPECT_TRUE(ranks.quality.contains("comm.waiting"));
}

TEST(CollectiveWaits, ClocksOfHostsMayDiffer) {
  Ranks ranks(2);
  ranks.steps(20, {3000, 5000});
  for (run::Launch& launch : ranks.traces[1].launches) launch.start_ns += 3'200 * us;
  const CollectiveWaits waits = ranks.find();
  EXPECT_NEAR(static_cast<double>(total(waits.of_trace[0])), 20.0 * 2000 * us, 20.0 * 10 * us);
  EXPECT_LE(total(waits.of_trace[1]), 20 * 10 * us);
  EXPECT_TRUE(ranks.quality.contains("comm.rank-clocks"));
}

TEST(CollectiveWaits, OneRankAloneTellsNothing) {
  Ranks ranks(1);
  ranks.steps(5, {3000});
  EXPECT_FALSE(ranks.find().any);
  EXPECT_TRUE(ranks.quality.entries().empty());
}

TEST(CollectiveWaits, TracesOfOtherTimesDoNotMatch) {
  Ranks ranks(2);
  ranks.steps(20, {3000, 5000});
  for (run::Launch& launch : ranks.traces[1].launches) launch.start_ns += 3'600'000'000'000;
  EXPECT_FALSE(ranks.find().any);
  EXPECT_TRUE(ranks.quality.contains("comm.not-matched"));
}

TEST(CollectiveWaits, KindsAreNotMixed) {
  Ranks ranks(2);
  ranks.run(0, 0, 0, 1000);
  ranks.run(1, 1, 500, 1000);
  EXPECT_FALSE(ranks.find().any);
}

TEST(CollectiveWaits, ARankThatLacksTheFirstCollectivesIsMatchedFromWhereItBegins) {
  Ranks ranks(2);
  ranks.steps(20, {3000, 5000});
  ranks.traces[0].launches.erase(ranks.traces[0].launches.begin(), ranks.traces[0].launches.begin() + 6);
  const CollectiveWaits waits = ranks.find();
  EXPECT_EQ(total(waits.of_trace[0]), 17 * 2000 * us);
  EXPECT_EQ(waits.of_trace[1].size(), 17U);
}

/// Two groups of two ranks reduce at one time, as tensor-parallel pairs do: neither waits for the other's.
TEST(CollectiveWaits, GroupsThatTheProfilerNamesAreNotMixed) {
  for (const bool named : {true, false}) {
    Ranks ranks(4);
    ranks.steps(10, {3000, 3500, 4500, 5000});
    for (std::size_t r = 0; named && r < 4; ++r) {
      run::Trace& trace = ranks.traces[r];
      trace.streams[0].process_group = trace.names.intern(r < 2 ? "[0, 1]" : "[2, 3]");
    }
    const CollectiveWaits waits = ranks.find();
    EXPECT_EQ(total(waits.of_trace[0]), 10 * (named ? 500 : 2000) * us);
    EXPECT_EQ(total(waits.of_trace[2]), 10 * 500 * us);
  }
}

TEST(CollectiveWaits, MissingRanksAreSaid) {
  Ranks ranks(2);
  ranks.steps(5, {3000, 5000});
  ranks.traces[0].world_size = 8;
  ranks.find();
  EXPECT_TRUE(ranks.quality.contains("comm.ranks-missing"));
}

TEST(CollectiveWaits, WaitingIsPartOfTheExposureThatTheOverlapTells) {
  Ranks ranks(2);
  ranks.run(0, 0, 0, 4000);     // comes first, waits 2 ms
  ranks.run(0, 2, 1000, 3000);  // meanwhile a product: half under the wait, half under the data
  ranks.run(1, 0, 2000, 4000);
  const CollectiveWaits waits = ranks.find();
  const CommunicationOverlap overlap =
      communication_overlap(ranks.traces[0], ranks.structures[0].class_category, waits.of_trace[0]);
  ASSERT_EQ(overlap.launches.size(), 1U);
  EXPECT_EQ(overlap.launches[0].waiting_ns, 2000 * us);
  EXPECT_EQ(overlap.launches[0].exposed_ns, 2000 * us);
  EXPECT_EQ(overlap.launches[0].exposed_waiting_ns, 1000 * us);
  EXPECT_EQ(overlap.waiting_ns, 2000 * us);
}

}  // namespace
}  // namespace kernwatt::attribution
