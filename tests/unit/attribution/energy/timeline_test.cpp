// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kernwatt::attribution {
namespace {

/// A trace of classes that are all matrix products, on two streams of one GPU.
struct Small {
  run::Trace trace;
  ProgramStructure structure;
  explicit Small(std::uint32_t classes) {
    trace.gpus.push_back({});
    trace.streams = {{0, run::none}, {0, run::none}};
    for (std::uint32_t k = 0; k < classes; ++k) {
      run::KernelClass c;
      c.name = trace.names.intern("k" + std::to_string(k));
      trace.classes.push_back(c);
    }
    structure.class_category.assign(classes, Category::matrix_product);
  }
  void add(std::int64_t start_us, std::int64_t duration_us, std::uint32_t k, std::uint32_t stream = 0) {
    run::Launch l;
    l.start_ns = start_us * 1000;
    l.duration_ns = duration_us * 1000;
    l.kernel_class = k;
    l.stream = stream;
    trace.launches.push_back(l);
  }
  Timeline build() {
    columns = choose_columns(trace, 0, structure, 128);
    return build_timeline(trace, 0, columns, 0.01);
  }
  Columns columns;
};

double owned(const Timeline& t) {
  double sum = 0;
  for (const float s : t.launch_s) sum += static_cast<double>(s);
  return sum;
}

TEST(Timeline, AGapOfFiveMicrosecondsBelongsToTheLaunchBefore) {
  Small s(2);
  s.add(0, 1000, 0);
  s.add(1005, 1000, 1);
  const Timeline t = s.build();
  EXPECT_NEAR(static_cast<double>(t.launch_s[0]), 1005e-6, 1e-9);
  EXPECT_NEAR(static_cast<double>(t.launch_s[1]), 1000e-6, 1e-9);
  EXPECT_EQ(t.gap_s, 0);
}

TEST(Timeline, LongerGapsAreLaunchGapsAndThenIdle) {
  Small s(2);
  s.add(0, 1000, 0);
  s.add(1100, 1000, 1);
  s.add(3100, 1000, 0);
  const Timeline t = s.build();
  EXPECT_NEAR(t.gap_s, 100e-6, 1e-9);
  EXPECT_NEAR(t.idle_s, 1000e-6, 1e-9);
}

TEST(Timeline, OverlapIsSharedAndTheTotalIsTheUnion) {
  Small s(2);
  s.add(0, 200, 0, 0);
  s.add(150, 100, 1, 1);
  const Timeline t = s.build();
  EXPECT_NEAR(t.overlapped_s, 50e-6, 1e-9);
  EXPECT_NEAR(static_cast<double>(t.launch_s[0]), 175e-6, 1e-9);
  EXPECT_NEAR(static_cast<double>(t.launch_s[1]), 75e-6, 1e-9);
}

TEST(Timeline, OverlapIsSharedByOccupiedSmFractionWhereGridsTell) {
  Small s(2);
  s.trace.gpus[0].sm_count = 100;
  s.trace.classes[0].grid = run::Dim3{300, 1, 1};
  s.trace.classes[1].grid = run::Dim3{25, 1, 1};
  s.add(0, 100, 0, 0);
  s.add(0, 100, 1, 1);
  const Timeline t = s.build();
  EXPECT_NEAR(static_cast<double>(t.launch_s[0]), 80e-6, 1e-9);
  EXPECT_NEAR(static_cast<double>(t.launch_s[1]), 20e-6, 1e-9);
}

TEST(Timeline, ATinyLaunchIsMeasuredWithItsFollower) {
  Small s(3);
  for (int i = 0; i < 100; ++i) {
    s.add(i * 1010, 1, 2);
    s.add(i * 1010 + 2, 500, 0);
    s.add(i * 1010 + 504, 500, 1);
  }
  const Timeline t = s.build();
  EXPECT_TRUE(s.columns.class_is_tiny[2]);
  EXPECT_EQ(t.launch_column[0], s.columns.of_class[0]);
  EXPECT_EQ(t.tiny_launches, 100U);
}

TEST(Timeline, ManyTinyLaunchesThatMakeUpTheProgramAreNotSwallowed) {
  Small s(2);
  for (int i = 0; i < 1000; ++i) s.add(i * 4, 3, static_cast<std::uint32_t>(i % 2));
  s.build();
  EXPECT_FALSE(s.columns.class_is_tiny[0]);
  EXPECT_FALSE(s.columns.class_is_tiny[1]);
}

/// Property: whatever the launches, their time plus gaps plus idle is the span, and bins hold the same time.
TEST(Timeline, EveryMomentHasOneOwner) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    Small s(5);
    std::uniform_int_distribution<std::int64_t> start(0, 20'000), length(0, 700);
    std::vector<run::Launch> launches;
    for (int i = 0; i < 200; ++i)
      s.add(start(random), length(random), static_cast<std::uint32_t>(i % 5), i % 2 == 0 ? 0 : 1);
    std::sort(s.trace.launches.begin(), s.trace.launches.end(), [](const auto& a, const auto& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns() < b.end_ns();
    });
    const Timeline t = s.build();
    const double span = static_cast<double>(t.last_ns - t.first_ns) * 1e-9;
    EXPECT_NEAR(owned(t) + t.gap_s + t.idle_s, span, 1e-7);
    double in_bins = 0;
    for (std::size_t i = 0; i < t.shares.size(); ++i) {
      in_bins += static_cast<double>(t.shares[i].seconds);
      EXPECT_TRUE(i == 0 || t.shares[i - 1].bin <= t.shares[i].bin);
    }
    EXPECT_NEAR(in_bins + t.idle_s, span, 1e-6);
  }
}

}  // namespace
}  // namespace kernwatt::attribution
