// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/power_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernwatt/attribution/power/bounded_least_squares.hpp"
#include "kernwatt/attribution/power/fit_features.hpp"
#include "kernwatt/attribution/power/power_prior.hpp"
#include "kernwatt/attribution/power/response_fit.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double late_point_weight = 0.6;
constexpr int rounds = 8;
constexpr double huber_limit = 2.0;
constexpr double block_s = 1.0;

/// The readings as rows of one linear system, watts.
struct Rows {
  Eigen::MatrixXd factors;
  Eigen::VectorXd watts;
  Eigen::VectorXd base_weight;  ///< before the noise of the source is known
  std::vector<bool> is_counter;
  std::vector<std::uint32_t> block;  ///< 1 s blocks, for the covariance
  Eigen::Index counters = 0;
};

double robust_sd(const Eigen::VectorXd& residual, const std::vector<bool>& is_counter, bool counter) {
  std::vector<double> size;
  for (Eigen::Index i = 0; i < residual.size(); ++i)
    if (is_counter[static_cast<std::size_t>(i)] == counter) size.push_back(std::abs(residual(i)));
  if (size.empty()) return 1;
  const auto middle = size.begin() + static_cast<std::ptrdiff_t>(size.size() / 2);
  std::nth_element(size.begin(), middle, size.end());
  return std::max(1.0, 1.48 * *middle);  // readings are rounded to about a watt
}

/// Which readings to use when there are too many: those beside launches first, for idle needs no thousands.
class Thinner {
 public:
  explicit Thinner(const Timeline& timeline) : timeline_(timeline) {}

  /// times: ascending. Returns the positions to keep.
  std::vector<std::size_t> choose(const std::vector<double>& times_s) const {
    std::vector<std::size_t> busy, idle;
    std::size_t share = 0;
    double busy_until_s = -1e9;
    for (std::size_t i = 0; i < times_s.size(); ++i) {
      const auto& shares = timeline_.shares;
      for (; share < shares.size() && shares[share].bin * timeline_.bin_s <= times_s[i]; ++share)
        busy_until_s = (shares[share].bin + 1) * timeline_.bin_s;
      constexpr double after_s = 0.5;  // until the sensor has settled
      (times_s[i] - busy_until_s < after_s ? busy : idle).push_back(i);
    }
    std::vector<std::size_t> kept = spread(busy, most_busy);
    for (const std::size_t i : spread(idle, most_idle)) kept.push_back(i);
    std::sort(kept.begin(), kept.end());
    return kept;
  }

 private:
  static constexpr std::size_t most_busy = 6000;
  static constexpr std::size_t most_idle = 1000;

  static std::vector<std::size_t> spread(const std::vector<std::size_t>& from, std::size_t most) {
    if (from.size() <= most) return from;
    std::vector<std::size_t> out;
    const double step = static_cast<double>(from.size()) / static_cast<double>(most);
    for (std::size_t i = 0; i < most; ++i) out.push_back(from[static_cast<std::size_t>(static_cast<double>(i) * step)]);
    return out;
  }

  const Timeline& timeline_;
};

PowerPoints thinned(const PowerPoints& points, const Timeline& timeline) {
  PowerPoints out;
  out.source = points.source;
  out.poll_s = points.poll_s;
  for (const std::size_t i : Thinner(timeline).choose(points.time_s)) {
    out.time_s.push_back(points.time_s[i]);
    out.late_s.push_back(points.late_s[i]);
    out.watts.push_back(points.watts[i]);
  }
  return out;
}

CounterWindows thinned(const CounterWindows& windows, const Timeline& timeline) {
  std::vector<double> ends;
  for (const Eigen::Index first : windows.first) ends.push_back(windows.edge_s[static_cast<std::size_t>(first) + 1]);
  const std::vector<std::size_t> kept = Thinner(timeline).choose(ends);
  CounterWindows out;
  out.edge_s = windows.edge_s;
  out.watts.resize(static_cast<Eigen::Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    out.first.push_back(windows.first[kept[i]]);
    out.watts(static_cast<Eigen::Index>(i)) = windows.watts(static_cast<Eigen::Index>(kept[i]));
  }
  return out;
}

class Fitter {
 public:
  Fitter(const FitInput& input, const FittedResponse& usual)
      : input_(input), at_{input.columns.size()}, usual_(usual), response_(usual) {
    PowerPoints points = input.measurement.points;
    keep_span(points);
    points_ = thinned(points, input.timeline);
    windows_ = thinned(windows_of(input.measurement.edges, input.from_s, input.to_s), input.timeline);
    prior_ = make_prior(input, at_, first_level());
    anchor_idle();
  }

  PowerFit run() {
    Eigen::VectorXd theta = solve(design());
    for (int pass = 0; pass < 2; ++pass) {
      PowerFit now;
      now.at = at_;
      now.theta = theta.head(at_.size());
      bin_watts_ = bin_power(input_, now);
      const FittedResponse next = fit_response(bin_watts_, input_.timeline.bin_s, windows_, points_, usual_, response_,
                                               pass == 0 ? input_.max_shift_s : 0.01);
      fitted_ = fitted_ || next.fitted;
      response_ = next;
      theta = solve(design());
    }
    return finish(theta);
  }

 private:
  void keep_span(PowerPoints& points) const {
    PowerPoints out;
    out.source = points.source;
    out.poll_s = points.poll_s;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points.time_s[i] < input_.from_s || points.time_s[i] > input_.to_s) continue;
      out.time_s.push_back(points.time_s[i]);
      out.late_s.push_back(points.late_s[i]);
      out.watts.push_back(points.watts[i]);
    }
    points = std::move(out);
  }

  /// Stretches without launches, once the sensor has settled, show idle power directly. A fit of everything would let
  /// misfits of busy stretches pull at it.
  void anchor_idle() {
    std::vector<double> settled_w;
    const double settle_s = 5 * response_.points.lag_s + response_.points.window_s;
    std::size_t share = 0;
    double busy_until_s = -1e9;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto& shares = input_.timeline.shares;
      for (; share < shares.size() && shares[share].bin * input_.timeline.bin_s <= points_.time_s[i]; ++share)
        busy_until_s = (shares[share].bin + 1) * input_.timeline.bin_s;
      if (points_.time_s[i] - busy_until_s > settle_s) settled_w.push_back(points_.watts[i]);
    }
    constexpr std::size_t enough = 10;
    if (settled_w.size() < enough) return;
    const auto middle = settled_w.begin() + static_cast<std::ptrdiff_t>(settled_w.size() / 2);
    std::nth_element(settled_w.begin(), middle, settled_w.end());
    const double precision = 1 / std::pow(0.005 * *middle + 0.2, 2);
    for (const Eigen::Index a : {Parameters::statics(), at_.idle()}) {
      prior_.pull(a) += precision * *middle;
      for (const Eigen::Index b : {Parameters::statics(), at_.idle()}) prior_.precision(a, b) += precision;
    }
  }

  /// Mean power of the readings beside launches, and how much of that time launches fill.
  PowerLevel first_level() const {
    const Timeline& t = input_.timeline;
    constexpr double beside_s = 0.05;
    double busy_s = 0;
    double active_s = t.bin_s;
    for (std::size_t i = 0; i < t.shares.size(); ++i) {
      busy_s += static_cast<double>(t.shares[i].seconds);
      if (i > 0) active_s += std::min(beside_s, (t.shares[i].bin - t.shares[i - 1].bin) * t.bin_s);
    }
    double sum = 0;
    double count = 0;
    double highest = 1;
    std::size_t share = 0;
    double busy_until_s = -1e9;
    const auto see = [&](double at_s, double watts) {
      for (; share < t.shares.size() && t.shares[share].bin * t.bin_s <= at_s; ++share)
        busy_until_s = (t.shares[share].bin + 1) * t.bin_s;
      if (at_s - busy_until_s > beside_s) return;
      sum += watts, count += 1, highest = std::max(highest, watts);
    };
    for (std::size_t i = 0; i < points_.size(); ++i) see(points_.time_s[i], points_.watts[i]);
    if (count == 0) {
      share = 0, busy_until_s = -1e9;
      for (std::size_t w = 0; w < windows_.first.size(); ++w)
        see(windows_.edge_s[static_cast<std::size_t>(windows_.first[w]) + 1],
            windows_.watts(static_cast<Eigen::Index>(w)));
    }
    const double mean = count > 0 ? sum / count : 100;
    const double quiet = std::min(input_.measurement.quiet_w.value_or(0.2 * mean), 0.9 * mean);
    const double busy = std::clamp(busy_s / active_s, 0.02, 1.0);
    return {std::max(1.0, quiet), std::max(10.0, (mean - quiet) / busy), highest};
  }

  Rows design() const {
    Rows rows;
    ShareFeatures for_windows(input_);
    ShareFeatures for_points(input_);
    rows.counters = windows_.watts.size();
    const auto points = static_cast<Eigen::Index>(points_.size());
    rows.factors = Eigen::MatrixXd::Zero(rows.counters + points, at_.size() + nuisances);
    rows.watts.resize(rows.counters + points);
    rows.base_weight = Eigen::VectorXd::Ones(rows.counters + points);
    if (rows.counters > 0) {
      rows.factors.topLeftCorner(rows.counters, at_.size()) = window_rows(for_windows, windows_, response_.counter);
      rows.watts.head(rows.counters) = windows_.watts;
    }
    if (points > 0)
      rows.factors.bottomLeftCorner(points, at_.size()) = point_rows(for_points, points_, response_.points);
    add_nuisances(rows);
    for (Eigen::Index i = 0; i < rows.counters + points; ++i) {
      const bool counter = i < rows.counters;
      const auto p = static_cast<std::size_t>(counter ? i : i - rows.counters);
      const double t = counter ? windows_.edge_s[static_cast<std::size_t>(windows_.first[p])] : points_.time_s[p];
      rows.is_counter.push_back(counter);
      rows.block.push_back(static_cast<std::uint32_t>(std::max(0.0, t / block_s)));
      if (counter) continue;
      rows.watts(i) = points_.watts[p];
      if (points_.late_s[p] > 0) rows.base_weight(i) = late_point_weight;
    }
    return rows;
  }

  /// How the readings change per millisecond of delay and of lag, around the power that was fitted last.
  void add_nuisances(Rows& rows) const {
    if (bin_watts_.empty()) return;
    const auto windows_under = [&](const SensorResponse& r) {
      PowerFeature power(bin_watts_, input_.timeline.bin_s);
      return Eigen::VectorXd(window_rows(power, windows_, r).col(0));
    };
    const auto points_under = [&](const SensorResponse& r) {
      PowerFeature power(bin_watts_, input_.timeline.bin_s);
      return Eigen::VectorXd(point_rows(power, points_, r).col(0));
    };
    const auto moved = [](SensorResponse r, double delay_s, double lag_s) {
      r.delay_s += delay_s;
      r.lag_s += lag_s;
      return r;
    };
    constexpr double ms = 1e-3;
    const Eigen::Index at = at_.size();
    if (rows.counters > 0) {
      const SensorResponse& r = response_.counter;
      rows.factors.col(at).head(rows.counters) = (windows_under(moved(r, ms, 0)) - windows_under(moved(r, -ms, 0))) / 2;
      rows.factors.col(at + 2).head(rows.counters) = windows_under(moved(r, 0, ms)) - windows_under(r);
    }
    const auto points = static_cast<Eigen::Index>(points_.size());
    if (points == 0) return;
    const SensorResponse& r = response_.points;
    rows.factors.col(at + 1).tail(points) = (points_under(moved(r, ms, 0)) - points_under(moved(r, -ms, 0))) / 2;
    if (r.window_s <= 0) rows.factors.col(at + 2).tail(points) = points_under(moved(r, 0, ms)) - points_under(r);
  }

  /// Iteratively reweighted: noise of each source by its median deviation, Huber weights for outliers.
  Eigen::VectorXd solve(const Rows& rows) {
    Eigen::VectorXd robust = Eigen::VectorXd::Ones(rows.watts.size());
    Eigen::VectorXd theta;
    double counter_sd = 7;
    double point_sd = 7;
    for (int round = 0; round < rounds; ++round) {
      weight_ = rows.base_weight;
      for (Eigen::Index i = 0; i < weight_.size(); ++i)
        weight_(i) *= std::sqrt(robust(i)) / (rows.is_counter[static_cast<std::size_t>(i)] ? counter_sd : point_sd);
      const Eigen::MatrixXd weighted = weight_.asDiagonal() * rows.factors;
      const Eigen::Index n = at_.size() + nuisances;
      Eigen::MatrixXd data = Eigen::MatrixXd::Zero(n, n);
      data.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
      data_ = data.selfadjointView<Eigen::Lower>();
      const Eigen::VectorXd right = weighted.transpose() * weight_.cwiseProduct(rows.watts) + prior_.pull;
      theta = solve_bounded(data_ + prior_.precision, right, prior_.low, prior_.high);
      residual_ = rows.watts - rows.factors * theta;
      counter_sd = robust_sd(residual_, rows.is_counter, true);
      point_sd = robust_sd(residual_, rows.is_counter, false);
      for (Eigen::Index i = 0; i < robust.size(); ++i) {
        const double sd = rows.is_counter[static_cast<std::size_t>(i)] ? counter_sd : point_sd;
        robust(i) = std::min(1.0, huber_limit * sd / std::max(1e-9, std::abs(residual_(i))));
      }
    }
    counter_sd_ = counter_sd;
    point_sd_ = point_sd;
    return theta;
  }

  /// Noise that is alike within a second counts once (sandwich over blocks); what the data leave open has the
  /// prior's uncertainty.
  Eigen::MatrixXd covariance(const Rows& rows) const {
    const Eigen::MatrixXd inverse =
        (data_ + prior_.precision).llt().solve(Eigen::MatrixXd::Identity(data_.rows(), data_.cols()));
    const std::uint32_t blocks = rows.block.empty() ? 1 : *std::max_element(rows.block.begin(), rows.block.end()) + 1;
    Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(data_.rows(), blocks);
    for (Eigen::Index i = 0; i < residual_.size(); ++i)
      scores.col(rows.block[static_cast<std::size_t>(i)]) +=
          weight_(i) * weight_(i) * residual_(i) * rows.factors.row(i).transpose();
    std::uint32_t used = 0;
    for (std::uint32_t b = 0; b < blocks; ++b) used += scores.col(b).squaredNorm() > 0 ? 1 : 0;
    Eigen::MatrixXd noise = scores * scores.transpose() * (used / std::max(1.0, used - 1.0));
    // Fewer blocks than that say little about the spread between blocks; then independent noise, doubled, stands in.
    constexpr std::uint32_t enough_blocks = 8;
    if (used < enough_blocks) noise = 4 * data_;
    return inverse * (noise + prior_.precision) * inverse;
  }

  PowerFit finish(const Eigen::VectorXd& theta) {
    const Rows rows = design();
    PowerFit fit;
    fit.at = at_;
    fit.theta = theta.head(at_.size());
    // Dynamic power falls at most as f·V² does; a steeper slope would make power negative at a clock seldom seen.
    constexpr double steepest = 2.2;
    for (std::uint32_t k = 0; k < at_.columns; ++k)
      fit.theta(at_.slope(k)) = std::min(fit.theta(at_.slope(k)), steepest * fit.theta(Parameters::dynamic(k)));
    fit.covariance = covariance(rows).topLeftCorner(at_.size(), at_.size());
    fit.counter_response = response_.counter;
    fit.point_response = response_.points;
    fit.response_fitted = fitted_;
    fit.counter_residual_w = rows.counters > 0 ? counter_sd_ : 0;
    fit.point_residual_w = points_.size() > 0 ? point_sd_ : 0;
    fit.windows = static_cast<std::size_t>(rows.counters);
    fit.points = points_.size();
    return fit;
  }

  const FitInput& input_;
  Parameters at_;
  PowerPoints points_;
  CounterWindows windows_;
  FittedResponse usual_;
  FittedResponse response_;
  std::vector<double> bin_watts_;  ///< under the last fit
  bool fitted_ = false;
  Prior prior_;
  Eigen::VectorXd weight_, residual_;
  Eigen::MatrixXd data_;
  double counter_sd_ = 0, point_sd_ = 0;
};

}  // namespace

namespace {

/// Readings that follow the power at once: what older boards' sensors do, and logs that were computed.
FittedResponse prompt_response() {
  SensorResponse prompt;
  prompt.lag_s = 0.002;
  prompt.late_weight = 0;
  prompt.tail = 0;
  return {prompt, prompt, false};
}

double residual_w(const PowerFit& fit) {
  const auto windows = static_cast<double>(fit.windows);
  const auto points = static_cast<double>(fit.points);
  const double square =
      windows * fit.counter_residual_w * fit.counter_residual_w + points * fit.point_residual_w * fit.point_residual_w;
  return std::sqrt(square / std::max(1.0, windows + points));
}

}  // namespace

PowerFit fit_power(const FitInput& input) {
  FittedResponse usual;
  usual.points = nominal_response(input.measurement.points);
  PowerFit fit = Fitter(input, usual).run();
  // From the usual response the fit cannot walk to one far away: wrong powers pay for it on the way. So where much is
  // left unexplained, that other one has a start of its own, and must be clearly better.
  constexpr double well_explained_w = 2;
  constexpr double clearly_better = 0.7;
  if (residual_w(fit) < well_explained_w) return fit;
  PowerFit prompt = Fitter(input, prompt_response()).run();
  if (residual_w(prompt) > clearly_better * residual_w(fit)) return fit;
  prompt.response_fitted = true;
  return prompt;
}

std::vector<double> bin_power(const FitInput& input, const PowerFit& fit) {
  ShareFeatures features(input);
  std::vector<double> watts(input.timeline.bins);
  Eigen::VectorXd row(features.width());
  for (std::uint32_t bin = 0; bin < input.timeline.bins; ++bin) {
    features.fill(bin, row);
    watts[bin] = row.dot(fit.theta);
  }
  return watts;
}

}  // namespace kernwatt::attribution
