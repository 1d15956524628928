// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/sensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernwatt/attribution/power/fit_features.hpp"

namespace kernwatt::attribution {
namespace {

/// 100 W for one second, then 500 W.
std::vector<double> step_up() {
  std::vector<double> watts(3000, 100.0);
  std::fill(watts.begin() + 1000, watts.end(), 500.0);
  return watts;
}

SensorResponse plain_lag(double lag_s) {
  SensorResponse r;
  r.lag_s = lag_s;
  r.tail = 0;
  return r;
}

TEST(Sensor, AStepArrivesAsAnExponential) {
  const std::vector<double> watts = step_up();
  PowerFeature power(watts, 1e-3);
  const Eigen::MatrixXd read = read_levels(power, {0.5, 1.013, 1.026, 2.0}, plain_lag(0.013));
  EXPECT_NEAR(read(0, 0), 100, 1e-9);
  EXPECT_NEAR(read(1, 0), 500 - 400 * std::exp(-1.0), 0.5);
  EXPECT_NEAR(read(2, 0), 500 - 400 * std::exp(-2.0), 0.5);
  EXPECT_NEAR(read(3, 0), 500, 1e-6);
}

TEST(Sensor, TheIntegralOfALaggedStepLacksLagTimesStep) {
  const std::vector<double> watts = step_up();
  PowerFeature power(watts, 1e-3);
  const Eigen::MatrixXd energy = read_integrals(power, {0.0, 2.0}, plain_lag(0.013));
  EXPECT_NEAR(energy(1, 0) - energy(0, 0), 100 + 500 - 400 * 0.013, 0.05);
}

TEST(Sensor, AWindowAveragesWithoutLag) {
  const std::vector<double> watts = step_up();
  SensorResponse window;
  window.window_s = 1.0;
  PowerFeature power(watts, 1e-3);
  const Eigen::MatrixXd energy = read_integrals(power, {0.75, 1.75}, window);
  EXPECT_NEAR(energy(1, 0) - energy(0, 0), 0.25 * 100 + 0.75 * 500, 1e-9);
}

TEST(Sensor, TimesOutsideTheBinsAreAnsweredFromTheNearest) {
  const std::vector<double> watts = step_up();
  PowerFeature power(watts, 1e-3);
  const Eigen::MatrixXd read = read_levels(power, {-5.0, 99.0}, plain_lag(0.013));
  EXPECT_NEAR(read(0, 0), 100, 1e-9);
  EXPECT_NEAR(read(1, 0), 500, 1e-6);
}

}  // namespace
}  // namespace kernwatt::attribution
