// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/response_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernwatt/attribution/power/fit_features.hpp"

namespace kernwatt::attribution {
namespace {

std::vector<double> shifted(const std::vector<double>& times_s, double back_s) {
  std::vector<double> out(times_s);
  for (double& t : out) t -= back_s;
  return out;
}

/// `level`: mean of the readings.
double mean_deviation(const Eigen::VectorXd& difference, double level) {
  if (difference.size() == 0) return 0;
  // Deviations far above the typical one are faults of the model elsewhere; they must not choose the lag. Where most
  // readings are explained exactly, those that are not do choose it.
  std::vector<double> size(difference.data(), difference.data() + difference.size());
  for (double& d : size) d = std::abs(d);
  const auto middle = size.begin() + static_cast<std::ptrdiff_t>(size.size() / 2);
  std::nth_element(size.begin(), middle, size.end());
  const double cap = std::max(4 * *middle, 0.05 * std::abs(level) + 1e-9);
  double sum = 0;
  for (const double d : size) sum += std::min(d, cap);
  return sum / static_cast<double>(size.size());
}

/// The deviation of the readings from what the responses make of a known power.
class Mismatch {
 public:
  Mismatch(const std::vector<double>& bin_watts, double bin_s, const CounterWindows& windows, const PowerPoints& points)
      : watts_(bin_watts), bin_s_(bin_s), windows_(windows), points_(points) {}

  double counter(const SensorResponse& response) const {
    if (windows_.first.empty()) return 0;
    PowerFeature power(watts_, bin_s_);
    return mean_deviation(windows_.watts - window_rows(power, windows_, response).col(0), windows_.watts.mean());
  }
  double points(const SensorResponse& response) const {
    if (points_.size() == 0) return 0;
    PowerFeature power(watts_, bin_s_);
    const Eigen::Map<const Eigen::VectorXd> read(points_.watts.data(), static_cast<Eigen::Index>(points_.size()));
    return mean_deviation(read - point_rows(power, points_, response).col(0), read.mean());
  }

 private:
  const std::vector<double>& watts_;
  double bin_s_;
  const CounterWindows& windows_;
  const PowerPoints& points_;
};

/// The best value on a grid over the whole range, then steps around it that halve.
template <class Cost>
void search(double& value, double step, double low, double high, Cost evaluate) {
  double cost = evaluate(value);
  const auto try_value = [&](double next) {
    const double trial = evaluate(next);
    if (trial >= cost * (1 - 1e-6)) return false;
    cost = trial;
    value = next;
    return true;
  };
  const auto steps = static_cast<int>((high - low) / step);
  for (int i = 0; i <= steps; ++i) try_value(low + i * step);
  while ((step /= 2) > 2e-4) {
    while ((value - step >= low && try_value(value - step)) || (value + step <= high && try_value(value + step))) {
    }
  }
}

/// Unusual responses must earn their place: in a job whose steps repeat, a wrong lag can be paid for with wrong powers.
/// Grows to 12 % two steps of 4 ms (or of 25 % of the lag) away, and no further.
double reluctance(double steps) { return 1 + 0.03 * std::min(4.0, steps * steps); }

double delay_reluctance(double delay_s, double nominal_s) { return reluctance((delay_s - nominal_s) / 0.004); }
double lag_reluctance(double lag_s, double nominal_s) {
  return reluctance(std::log(lag_s / nominal_s) / std::log(1.25));
}

/// Where many delays explain the readings equally well, the nearest to the usual one is taken. In W per s.
constexpr double nearness = 2;

void fit_points(const Mismatch& mismatch, SensorResponse& response, const SensorResponse& nominal, double max_shift_s) {
  const double start = response.delay_s;
  const auto cost_of = [&](const SensorResponse& r) {
    return mismatch.points(r) * delay_reluctance(r.delay_s, nominal.delay_s) * lag_reluctance(r.lag_s, nominal.lag_s) +
           nearness * std::abs(r.delay_s - nominal.delay_s);
  };
  const auto with_delay = [&](double d) {
    SensorResponse r = response;
    r.delay_s = d;
    return cost_of(r);
  };
  const auto with_lag = [&](double l) {
    SensorResponse r = response;
    r.lag_s = l;
    return cost_of(r);
  };
  for (int round = 0; round < 2; ++round) {
    search(response.delay_s, 0.008, start - max_shift_s, start + max_shift_s, with_delay);
    if (response.window_s == 0) search(response.lag_s, 0.008, 0.002, 0.120, with_lag);
  }
}

}  // namespace

CounterWindows windows_of(const CounterEdges& edges, double from_s, double to_s) {
  CounterWindows windows;
  std::vector<double> watts;
  for (std::size_t i = 0; i < edges.time_ns.size(); ++i) {
    const double t = edges.time_ns[i] * 1e-9;
    if (t < from_s || t > to_s) continue;
    windows.edge_s.push_back(t);
    if (windows.edge_s.size() < 2) continue;
    const double dt = t - windows.edge_s[windows.edge_s.size() - 2];
    windows.first.push_back(static_cast<Eigen::Index>(windows.edge_s.size()) - 2);
    watts.push_back(static_cast<double>(edges.energy_mj[i] - edges.energy_mj[i - 1]) * 1e-3 / dt);
  }
  windows.watts = Eigen::Map<const Eigen::VectorXd>(watts.data(), static_cast<Eigen::Index>(watts.size()));
  return windows;
}

Eigen::MatrixXd window_rows(BinFeatures& features, const CounterWindows& windows, const SensorResponse& response) {
  const Eigen::MatrixXd integral = read_integrals(features, shifted(windows.edge_s, response.delay_s), response);
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(windows.first.size()), integral.cols());
  for (std::size_t w = 0; w < windows.first.size(); ++w) {
    const Eigen::Index a = windows.first[w];
    const double dt = windows.edge_s[static_cast<std::size_t>(a) + 1] - windows.edge_s[static_cast<std::size_t>(a)];
    rows.row(static_cast<Eigen::Index>(w)) = (integral.row(a + 1) - integral.row(a)) / dt;
  }
  return rows;
}

Eigen::MatrixXd point_rows(BinFeatures& features, const PowerPoints& points, const SensorResponse& response) {
  std::vector<double> times = shifted(points.time_s, response.delay_s);
  if (response.window_s <= 0) {
    for (std::size_t i = 0; i < times.size(); ++i) times[i] -= response.late_weight * points.late_s[i];
    std::vector<double> ascending(times);
    for (std::size_t i = 1; i < ascending.size(); ++i) ascending[i] = std::max(ascending[i], ascending[i - 1]);
    return read_levels(features, ascending, response);
  }
  // Both ends of every window in one ascending pass over the bins.
  std::vector<std::pair<double, Eigen::Index>> ends;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ends.emplace_back(times[i] - response.window_s, static_cast<Eigen::Index>(2 * i));
    ends.emplace_back(times[i], static_cast<Eigen::Index>(2 * i + 1));
  }
  std::sort(ends.begin(), ends.end());
  std::vector<double> order;
  order.reserve(ends.size());
  for (const auto& [t, index] : ends) order.push_back(t);
  const Eigen::MatrixXd sorted = read_integrals(features, order, response);
  Eigen::MatrixXd integral(sorted.rows(), sorted.cols());
  for (std::size_t i = 0; i < ends.size(); ++i) integral.row(ends[i].second) = sorted.row(static_cast<Eigen::Index>(i));
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(times.size()), integral.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = (integral.row(2 * i + 1) - integral.row(2 * i)) / response.window_s;
  return rows;
}

FittedResponse fit_response(const std::vector<double>& bin_watts, double bin_s, const CounterWindows& windows,
                            const PowerPoints& points, const FittedResponse& usual, const FittedResponse& start,
                            double max_shift_s) {
  const Mismatch mismatch(bin_watts, bin_s, windows, points);
  FittedResponse fitted = start;
  const double before = mismatch.points(start.points) + mismatch.counter(start.counter);
  fit_points(mismatch, fitted.points, usual.points, max_shift_s);
  if (points.size() > 0 && fitted.points.window_s == 0) fitted.counter.lag_s = fitted.points.lag_s;
  const auto with_delay = [&](double d) {
    SensorResponse r = fitted.counter;
    r.delay_s = d;
    return mismatch.counter(r) * delay_reluctance(d, usual.counter.delay_s) +
           nearness * std::abs(d - usual.counter.delay_s);
  };
  const double counter_start = fitted.counter.delay_s;
  search(fitted.counter.delay_s, 0.008, counter_start - max_shift_s, counter_start + max_shift_s, with_delay);
  fitted.fitted = mismatch.points(fitted.points) + mismatch.counter(fitted.counter) < 0.97 * before;
  return fitted.fitted ? fitted : start;
}

}  // namespace kernwatt::attribution
