// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/measured_energy.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kernwatt::attribution {
namespace {

TEST(MeasuredEnergy, PartsAddUpToTheWholeWhereverItIsCut) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> watts(50, 900);
  std::vector<double> bins(2000);
  for (double& w : bins) w = watts(random);
  const MeasuredEnergy energy({0.05, 0.15, 0.25, 1.95}, {0, 61.234, 100.001, 1234.567}, bins, 1e-3);
  std::uniform_real_distribution<double> at(0.05, 1.95);
  for (int trial = 0; trial < 100; ++trial) {
    const double cut = at(random);
    EXPECT_NEAR(energy.between(0.05, cut) + energy.between(cut, 1.95), 1234.567, 1e-9);
  }
}

TEST(MeasuredEnergy, AtItsKnotsItIsExactlyWhatWasMeasured) {
  const MeasuredEnergy energy({0.0, 0.1, 0.2}, {0, 61.234, 100.001}, std::vector<double>(300, 400.0), 1e-3);
  EXPECT_DOUBLE_EQ(energy.until(0.1), 61.234);
  EXPECT_DOUBLE_EQ(energy.until(0.2), 100.001);
  EXPECT_DOUBLE_EQ(energy.until(-3), 0);
  EXPECT_DOUBLE_EQ(energy.until(9), 100.001);
}

TEST(MeasuredEnergy, BetweenKnotsItHasTheShapeOfTheModel) {
  std::vector<double> bins(100, 100.0);
  std::fill(bins.begin() + 50, bins.end(), 700.0);
  const MeasuredEnergy energy({0.0, 0.1}, {0, 40.0}, bins, 1e-3);
  EXPECT_NEAR(energy.until(0.05), 5.0, 1e-9);
}

Measurement steps(std::initializer_list<double> at_s) {
  Measurement m;
  std::int64_t mj = 0;
  for (const double t : at_s) {
    m.edges.time_ns.push_back(t * 1e9);
    m.edges.energy_mj.push_back(mj += 50'000);
  }
  return m;
}

TEST(EnergyWindow, ReachesToTheStepsAroundTheTraceWhereTheGpuIdles) {
  const auto window = energy_window({}, steps({0.0, 0.1, 0.2, 0.3, 0.4}), 0, {0.12, 0.28}, {true, true}, 0);
  ASSERT_TRUE(window);
  EXPECT_DOUBLE_EQ(window->span.from_s, 0.1);
  EXPECT_NEAR(window->span.to_s, 0.3, 1e-12);
  EXPECT_TRUE(window->covers_trace);
  EXPECT_DOUBLE_EQ(window->knot_j.back(), 100.0);
}

TEST(EnergyWindow, StaysInsideWhereOthersWorkBesideTheTrace) {
  const auto window = energy_window({}, steps({0.0, 0.1, 0.2, 0.3, 0.4}), 0, {0.05, 0.38}, {false, false}, 0);
  ASSERT_TRUE(window);
  EXPECT_DOUBLE_EQ(window->span.from_s, 0.1);
  EXPECT_NEAR(window->span.to_s, 0.3, 1e-12);
  EXPECT_FALSE(window->covers_trace);
}

TEST(EnergyWindow, WithoutACounterItIsTheIntegralOfPower) {
  run::GpuPower power;
  for (int i = 0; i <= 20; ++i) power.power_draw_w.push(i * 1'000'000'000LL, i < 10 ? 100.0 : 200.0);
  Measurement m;
  m.points.source = PointSource::draw;
  const auto window = energy_window(power, m, 0, {0.0, 20.0}, {true, true}, 0);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->source, "power");
  EXPECT_NEAR(window->knot_j.back(), 3000, 60);
}

TEST(EnergyWindow, OneReadingIsNoEnergy) {
  run::GpuPower power;
  power.power_draw_w.push(0, 100.0);
  Measurement m = steps({0.1});
  m.points.source = PointSource::draw;
  EXPECT_FALSE(energy_window(power, m, 0, {0.0, 1.0}, {true, true}, 0));
}

}  // namespace
}  // namespace kernwatt::attribution
