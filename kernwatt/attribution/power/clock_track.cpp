// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/clock_track.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernwatt::attribution {
namespace {

constexpr std::uint32_t min_launches = 50;
constexpr double min_mean_ns = 8'000;
constexpr double walk_variance_per_ms = 0.015 * 0.015;
constexpr double reading_sd = 0.03;
constexpr double reading_period_s = 0.1;
constexpr int rounds = 12;

/// Mean log duration of one class in one bin.
struct Cell {
  std::uint32_t bin;
  std::uint32_t kernel_class;
  float count;
  float mean;
  float spread;    ///< variance within the bin
  float variance;  ///< of the mean, as an observation of -s_k g
};

struct Reading {
  double time_s;  ///< from the timeline's origin
  double log_ratio;
};

struct Sensitivity {
  double mean;
  double sd;
};

Sensitivity prior_of(Category category) {
  switch (category) {
    case Category::matrix_product:
      return {0.85, 0.10};
    case Category::attention:
      return {0.85, 0.15};
    case Category::copy:
    case Category::communication:
      return {0.05, 0.20};
    default:
      return {0.35, 0.40};
  }
}

/// The duration that a class has at full clock, near enough: a low percentile of a sample of its launches.
std::vector<double> shortest_durations(const run::Trace& trace, const Timeline& timeline) {
  const std::size_t classes = trace.classes.size();
  std::vector<std::uint32_t> count(classes, 0);
  std::vector<double> total(classes, 0);
  for (const std::uint32_t i : timeline.launches) {
    ++count[trace.launches[i].kernel_class];
    total[trace.launches[i].kernel_class] += static_cast<double>(trace.launches[i].duration_ns);
  }
  std::vector<double> shortest(classes, 0);
  std::vector<std::vector<float>> sample(classes);
  std::vector<std::uint32_t> seen(classes, 0);
  constexpr std::uint32_t wanted = 4096;
  for (const std::uint32_t i : timeline.launches) {
    const std::uint32_t k = trace.launches[i].kernel_class;
    if (count[k] < min_launches || total[k] / count[k] < min_mean_ns) continue;
    if (seen[k]++ % (count[k] / wanted + 1) == 0)
      sample[k].push_back(static_cast<float>(trace.launches[i].duration_ns));
  }
  for (std::size_t k = 0; k < classes; ++k) {
    if (sample[k].empty()) continue;
    const auto at = sample[k].begin() + static_cast<std::ptrdiff_t>(0.03 * static_cast<double>(sample[k].size()));
    std::nth_element(sample[k].begin(), at, sample[k].end());
    shortest[k] = *at;
  }
  return shortest;
}

class CellBuilder {
 public:
  explicit CellBuilder(std::size_t classes) : sum_(classes), square_(classes), count_(classes) {}
  void add(std::uint32_t bin, std::uint32_t k, double y) {
    if (bin != bin_) flush(bin);
    if (count_[k] == 0) touched_.push_back(k);
    sum_[k] += y;
    square_[k] += y * y;
    count_[k] += 1;
  }
  std::vector<Cell> finish() {
    flush(0);
    return std::move(cells_);
  }

 private:
  void flush(std::uint32_t next) {
    for (const std::uint32_t k : touched_) {
      const double n = count_[k];
      const double mean = sum_[k] / n;
      cells_.push_back({bin_, k, static_cast<float>(n), static_cast<float>(mean),
                        static_cast<float>(std::max(0.0, square_[k] / n - mean * mean)), 0.0F});
      sum_[k] = square_[k] = count_[k] = 0;
    }
    touched_.clear();
    bin_ = next;
  }

  std::vector<double> sum_, square_, count_;
  std::vector<std::uint32_t> touched_;
  std::vector<Cell> cells_;
  std::uint32_t bin_ = 0;
};

std::vector<Cell> log_durations(const run::Trace& trace, const Timeline& timeline) {
  const std::vector<double> shortest = shortest_durations(trace, timeline);
  CellBuilder builder(trace.classes.size());
  for (const std::uint32_t i : timeline.launches) {
    const run::Launch& launch = trace.launches[i];
    const double base = shortest[launch.kernel_class];
    if (base <= 0 || launch.duration_ns <= 0) continue;
    constexpr double longest = 0.8;  // a launch twice as long was held up by something other than the clock
    const double y = std::min(longest, std::log(static_cast<double>(launch.duration_ns) / base));
    const double at_s = static_cast<double>(launch.start_ns - timeline.origin_ns) * 1e-9;
    builder.add(static_cast<std::uint32_t>(at_s / timeline.bin_s), launch.kernel_class, y);
  }
  return builder.finish();
}

std::vector<Reading> readings_of(const run::Series<double>& sm_mhz, const Timeline& timeline, double reference_mhz) {
  std::vector<Reading> readings;
  // Outside the trace the clocks may rest; only readings beside launches say anything about launches.
  const double end_s = static_cast<double>(timeline.last_ns - timeline.origin_ns) * 1e-9 + reading_period_s;
  double next_s = static_cast<double>(timeline.first_ns - timeline.origin_ns) * 1e-9;
  for (std::size_t i = 0; i < sm_mhz.size(); ++i) {
    const double t = static_cast<double>(sm_mhz.time_ns[i] - timeline.origin_ns) * 1e-9;
    if (t < next_s || t >= end_s || sm_mhz.value[i] <= 0) continue;
    readings.push_back({t, std::log(sm_mhz.value[i] / reference_mhz)});
    next_s = t + reading_period_s;
  }
  return readings;
}

/// The estimation; see the header for the model.
class Tracker {
 public:
  Tracker(std::vector<Cell> cells, std::vector<Reading> readings, const ProgramStructure& structure, std::uint32_t bins,
          double bin_s)
      : cells_(std::move(cells)),
        readings_(std::move(readings)),
        bins_(bins),
        bin_s_(bin_s),
        walk_(walk_variance_per_ms * bin_s / 1e-3),
        mean_(bins, 0.0),
        variance_(bins, 0.05 * 0.05) {
    for (const Category category : structure.class_category) prior_.push_back(prior_of(category));
    for (const Sensitivity& p : prior_) sensitivity_.push_back(p.mean);
    offset_.assign(prior_.size(), 0.0);
    // Below about two thirds of the highest clock the linear law of power no longer holds.
    for (const Reading& r : readings_) lowest_ = std::max(-0.45, std::min(lowest_, r.log_ratio - 0.05));
    noise_of_classes();
  }

  void run() {
    start_from_readings();
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) update_sensitivities();
      smooth();
      if (round > 2) fit_delay();
    }
  }

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& sensitivity() const { return sensitivity_; }
  double delay_s() const { return delay_s_; }
  double mismatch() const { return mismatch_; }

 private:
  std::uint32_t bin_at(double t_s) const {
    return static_cast<std::uint32_t>(std::clamp(t_s / bin_s_, 0.0, static_cast<double>(bins_ - 1)));
  }

  void noise_of_classes() {
    std::vector<double> sum(prior_.size(), 0);
    std::vector<double> degrees(prior_.size(), 0);
    for (const Cell& c : cells_) {
      sum[c.kernel_class] += static_cast<double>(c.spread) * c.count;
      degrees[c.kernel_class] += c.count - 1;
    }
    launch_variance_.assign(prior_.size(), 1e-3);
    for (std::size_t k = 0; k < sum.size(); ++k)
      if (degrees[k] > 0) launch_variance_[k] = std::max(1e-6, sum[k] / degrees[k]);
    for (Cell& c : cells_) c.variance = static_cast<float>(launch_variance_[c.kernel_class] / c.count + 0.004 * 0.004);
  }

  void start_from_readings() {
    std::size_t r = 0;
    for (std::uint32_t bin = 0; bin < bins_ && !readings_.empty(); ++bin) {
      const double t = (bin + 0.5) * bin_s_ + delay_s_;
      while (r + 1 < readings_.size() && readings_[r + 1].time_s <= t) ++r;
      mean_[bin] = readings_[r].log_ratio;
    }
  }

  void update_sensitivities() {
    struct Moments {
      double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    };
    std::vector<Moments> moments(prior_.size());
    for (const Cell& c : cells_) {
      Moments& m = moments[c.kernel_class];
      const double w = 1.0 / c.variance;
      const double x = -mean_[c.bin];
      m.w += w, m.x += w * x, m.y += w * c.mean;
      m.xx += w * (x * x + variance_[c.bin]);  // the uncertainty of g keeps s_k from being washed out
      m.xy += w * x * c.mean;
    }
    // Neighbouring bins of one burst are one observation rather than many.
    constexpr double independent = 1.0 / 20;
    for (std::size_t k = 0; k < moments.size(); ++k) {
      const Moments& m = moments[k];
      if (m.w <= 0) continue;
      const double precision = 1 / (prior_[k].sd * prior_[k].sd);
      const double xx = (m.xx - m.x * m.x / m.w) * independent;
      const double xy = (m.xy - m.x * m.y / m.w) * independent;
      sensitivity_[k] = std::clamp((xy + precision * prior_[k].mean) / (xx + precision), 0.0, 1.0);
      offset_[k] = std::max(0.0, (m.y - sensitivity_[k] * m.x) / m.w);
    }
    update_noise();
  }

  void update_noise() {
    std::vector<std::vector<float>> residual(prior_.size());
    constexpr std::size_t enough = 4096;
    for (const Cell& c : cells_)
      if (auto& r = residual[c.kernel_class]; r.size() < enough)
        r.push_back(static_cast<float>(
            std::abs(c.mean - offset_[c.kernel_class] + sensitivity_[c.kernel_class] * mean_[c.bin])));
    std::vector<double> extra(prior_.size(), 0.004);
    for (std::size_t k = 0; k < residual.size(); ++k) {
      if (residual[k].empty()) continue;
      const auto middle = residual[k].begin() + static_cast<std::ptrdiff_t>(residual[k].size() / 2);
      std::nth_element(residual[k].begin(), middle, residual[k].end());
      extra[k] = std::max(extra[k], 1.48 * static_cast<double>(*middle));
    }
    for (Cell& c : cells_)
      c.variance = static_cast<float>(launch_variance_[c.kernel_class] / c.count +
                                      extra[c.kernel_class] * extra[c.kernel_class]);
  }

  /// Kalman filter forwards, Rauch-Tung-Striebel backwards, over the bins.
  void smooth() {
    std::vector<double> information(bins_, 0.0);
    std::vector<double> evidence(bins_, 0.0);
    for (const Cell& c : cells_) {
      const double h = -sensitivity_[c.kernel_class];
      information[c.bin] += h * h / c.variance;
      evidence[c.bin] += h * (c.mean - offset_[c.kernel_class]) / c.variance;
    }
    for (const Reading& r : readings_) {
      const std::uint32_t bin = bin_at(r.time_s - delay_s_);
      information[bin] += 1 / (reading_sd * reading_sd);
      evidence[bin] += r.log_ratio / (reading_sd * reading_sd);
    }
    std::vector<double> mean(bins_);
    std::vector<double> variance(bins_);
    double x = 0;
    double p = 0.1;
    for (std::uint32_t i = 0; i < bins_; ++i) {
      p += walk_;
      const double posterior = 1 / (1 / p + information[i]);
      x = posterior * (x / p + evidence[i]);
      p = posterior;
      mean[i] = x, variance[i] = p;
    }
    for (std::uint32_t i = bins_ - 1; i-- > 0;) {
      const double gain = variance[i] / (variance[i] + walk_);
      mean[i] += gain * (mean[i + 1] - mean[i]);
      variance[i] += gain * gain * (variance[i + 1] - variance[i] - walk_);
    }
    for (std::uint32_t i = 0; i < bins_; ++i) mean_[i] = std::clamp(mean[i], lowest_, 0.0);
    variance_ = std::move(variance);
  }

  void fit_delay() {
    if (readings_.size() < 5) return;
    double best = 1e9;
    for (int step = 0; step <= 15; ++step) {
      const double delay = 0.01 * step;
      double sum = 0;
      for (const Reading& r : readings_) sum += std::abs(r.log_ratio - mean_[bin_at(r.time_s - delay)]);
      sum /= static_cast<double>(readings_.size());
      if (sum < best) best = sum, delay_s_ = delay;
    }
    mismatch_ = best;
  }

  std::vector<Cell> cells_;
  std::vector<Reading> readings_;
  std::uint32_t bins_;
  double bin_s_;
  double walk_;
  std::vector<double> mean_, variance_;
  std::vector<Sensitivity> prior_;
  std::vector<double> sensitivity_, offset_, launch_variance_;
  double lowest_ = 0;
  double delay_s_ = 0.05;
  double mismatch_ = 0;
};

}  // namespace

ClockTrack track_clock(const run::Trace& trace, const Timeline& timeline, const ProgramStructure& structure,
                       const run::Series<double>& sm_mhz) {
  ClockTrack track;
  track.log_ratio.assign(timeline.bins, 0.0F);
  track.clock_sensitivity.assign(trace.classes.size(), 0.0);
  if (sm_mhz.empty() || timeline.launches.empty()) return track;
  track.reference_mhz = *std::max_element(sm_mhz.value.begin(), sm_mhz.value.end());
  std::vector<Reading> readings = readings_of(sm_mhz, timeline, *track.reference_mhz);
  if (readings.empty()) return track;
  std::vector<Cell> cells = log_durations(trace, timeline);
  track.from_durations = !cells.empty();
  Tracker tracker(std::move(cells), std::move(readings), structure, timeline.bins, timeline.bin_s);
  tracker.run();
  for (std::uint32_t i = 0; i < timeline.bins; ++i) track.log_ratio[i] = static_cast<float>(tracker.mean()[i]);
  track.clock_sensitivity = tracker.sensitivity();
  track.nvml_delay_s = tracker.delay_s();
  track.nvml_mismatch = tracker.mismatch();
  return track;
}

}  // namespace kernwatt::attribution
