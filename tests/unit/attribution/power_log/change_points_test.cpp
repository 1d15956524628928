// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/change_points.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kernwatt::attribution {
namespace {

std::vector<double> steps(const std::vector<std::pair<int, double>>& parts, double noise_w) {
  std::mt19937 engine(3);
  std::normal_distribution<double> noise(0, noise_w);
  std::vector<double> bins;
  for (const auto& [count, level] : parts)
    for (int i = 0; i < count; ++i) bins.push_back(level + noise(engine));
  return bins;
}

TEST(ChangePoints, AreFoundWhereLevelsChange) {
  const auto runs = level_runs(steps({{40, 100}, {60, 500}, {30, 300}}, 8), 3, 1);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].last, 40U);
  EXPECT_EQ(runs[1].last, 100U);
  EXPECT_NEAR(runs[1].mean, 500, 5);
}

TEST(ChangePoints, OfNoiseAloneAreNone) { EXPECT_EQ(level_runs(steps({{2000, 400}}, 30), 3, 1).size(), 1U); }

TEST(ChangePoints, CoverTheSeriesWithoutGapWhateverItIs) {
  std::mt19937 engine(9);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> bins(engine() % 200);
    for (double& w : bins) w = engine() % 3 == 0 ? 700 : static_cast<double>(engine() % 100);
    const auto runs = level_runs(bins, 3, 0.5);
    std::size_t at = 0;
    for (const LevelRun& run : runs) {
      EXPECT_EQ(run.first, at);
      EXPECT_GT(run.last, run.first);
      at = run.last;
    }
    EXPECT_EQ(at, bins.size());
  }
}

}  // namespace
}  // namespace kernwatt::attribution
