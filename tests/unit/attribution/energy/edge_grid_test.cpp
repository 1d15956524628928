// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/edge_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// A counter that steps each `period_ms` by `step_mj`, polled about each 10 ms with jitter.
run::Series<std::int64_t> polled(double period_ms, std::int64_t step_mj, int seconds, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> jitter(7, 13);
  run::Series<std::int64_t> counter;
  for (double t = 3; t < 1000.0 * seconds; t += jitter(random))
    counter.push(static_cast<std::int64_t>(t * ms),
                 1'000'000 + step_mj * static_cast<std::int64_t>((t - 1.7) / period_ms));
  return counter;
}

TEST(EdgeGrid, FindsPeriodAndPhaseFarFinerThanThePolls) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const CounterEdges edges = find_counter_edges(polled(100.0, 60'000, 20, seed), 0);
    EXPECT_NEAR(edges.period_ns, 100e6, 2e3);
    ASSERT_GT(edges.time_ns.size(), 190U);
    for (const double t : edges.time_ns) EXPECT_NEAR(std::remainder(t - 1.7e6, 100e6), 0, 1.0e6);
  }
}

TEST(EdgeGrid, DifferencesOfEnergyAreExact) {
  const CounterEdges edges = find_counter_edges(polled(100.0, 61'003, 5, 3), 0);
  ASSERT_GT(edges.energy_mj.size(), 10U);
  for (std::size_t i = 1; i < edges.energy_mj.size(); ++i)
    EXPECT_EQ(edges.energy_mj[i] - edges.energy_mj[i - 1], 61'003);
}

TEST(EdgeGrid, ACounterThatRestartsLeavesAGapInsteadOfADebt) {
  run::Series<std::int64_t> counter;
  const std::int64_t values[] = {5'000'000, 5'100'000, 200, 100'200, 200'200};
  for (int i = 0; i < 5; ++i) counter.push(i * 1000 * ms, values[i]);
  const CounterEdges edges = find_counter_edges(counter, 0);
  ASSERT_EQ(edges.energy_mj.size(), 3U);
  EXPECT_EQ(edges.energy_mj.back(), 300'000);
}

TEST(EdgeGrid, AHoleInThePollsEndsWithTheLastStepBeforeTheNextPoll) {
  run::Series<std::int64_t> counter = polled(100.0, 60'000, 20, 4), holed;
  for (std::size_t i = 0; i < counter.size(); ++i)
    if (counter.time_ns[i] < 8'000 * ms || counter.time_ns[i] > 10'550 * ms)
      holed.push(counter.time_ns[i], counter.value[i]);
  const CounterEdges whole = find_counter_edges(counter, 0), edges = find_counter_edges(holed, 0);
  for (std::size_t i = 0; i < edges.time_ns.size(); ++i) {
    const auto same = std::lower_bound(whole.time_ns.begin(), whole.time_ns.end(), edges.time_ns[i] - 2e6);
    ASSERT_NE(same, whole.time_ns.end());
    EXPECT_NEAR(*same, edges.time_ns[i], 2e6);
    EXPECT_EQ(whole.energy_mj[static_cast<std::size_t>(same - whole.time_ns.begin())], edges.energy_mj[i]);
  }
}

TEST(EdgeGrid, AnImpossibleJumpIsNotEnergy) {
  run::Series<std::int64_t> counter;
  const std::int64_t values[] = {0, 100'000, 900'000'000'000, 900'000'100'000, 900'000'200'000};
  for (int i = 0; i < 5; ++i) counter.push(i * 1000 * ms, values[i]);
  const CounterEdges edges = find_counter_edges(counter, 0);
  ASSERT_FALSE(edges.energy_mj.empty());
  EXPECT_EQ(edges.energy_mj.back(), 300'000);
}

TEST(EdgeGrid, AFrozenCounterHasNoEdges) {
  run::Series<std::int64_t> counter;
  for (int i = 0; i < 1000; ++i) counter.push(i * 10 * ms, 42);
  EXPECT_TRUE(find_counter_edges(counter, 0).time_ns.empty());
  EXPECT_TRUE(find_counter_edges({}, 0).time_ns.empty());
}

}  // namespace
}  // namespace kernwatt::attribution
