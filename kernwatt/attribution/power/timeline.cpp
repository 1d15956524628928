// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t owned_gap_ns = 5'000;
constexpr std::int64_t launch_gap_ns = 200'000;
constexpr std::int64_t follower_within_ns = 20'000;
constexpr double tiny_mean_ns = 5'000;
constexpr double tiny_share = 0.01;

/// Collects time per (bin, column). Pieces must come in ascending bins; a piece lies in one bin.
class BinWriter {
 public:
  BinWriter(Timeline& timeline, std::uint32_t columns) : timeline_(timeline), sum_(columns + 1, 0.0F) {}

  void add(std::uint32_t bin, std::uint32_t column, double seconds) {
    if (bin != bin_) flush(bin);
    if (sum_[column] == 0.0F) touched_.push_back(column);
    sum_[column] += static_cast<float>(seconds);
  }

  void flush(std::uint32_t next_bin) {
    for (const std::uint32_t column : touched_) {
      if (bin_ < timeline_.bins) timeline_.shares.push_back({bin_, column, sum_[column]});
      sum_[column] = 0.0F;
    }
    touched_.clear();
    bin_ = next_bin;
  }

 private:
  Timeline& timeline_;
  std::vector<float> sum_;
  std::vector<std::uint32_t> touched_;
  std::uint32_t bin_ = 0;
};

/// How much of the device a launch can fill: blocks against multiprocessors. 1 where the trace does not say.
double occupied_fraction(const run::KernelClass& kernel, const run::GpuIdentity& gpu) {
  if (!kernel.grid || !gpu.sm_count || *gpu.sm_count <= 0) return 1.0;
  const auto& g = *kernel.grid;
  const double blocks = static_cast<double>(g[0]) * g[1] * g[2];
  return std::clamp(blocks / *gpu.sm_count, 1e-3, 1.0);
}

/// Sweeps over the launches of one GPU and gives each stretch of time to those that ran in it.
class Sweep {
 public:
  Sweep(const run::Trace& trace, const run::GpuIdentity& gpu, Timeline& timeline, BinWriter& bins,
        std::uint32_t gap_column)
      : trace_(trace), timeline_(timeline), bins_(bins), gap_column_(gap_column) {
    fraction_.reserve(trace.classes.size());
    for (const run::KernelClass& kernel : trace.classes) fraction_.push_back(occupied_fraction(kernel, gpu));
  }

  void start(std::uint32_t local) {
    const run::Launch& launch = trace_.launches[timeline_.launches[local]];
    advance(launch.start_ns);
    if (active_.empty() && started_) gap(cursor_, launch.start_ns);
    cursor_ = std::max(cursor_, launch.start_ns);
    started_ = true;
    if (launch.duration_ns > 0)
      active_.push_back({local, launch.end_ns(), fraction_[launch.kernel_class]});
    else
      last_ = local;
  }

  void finish() {
    while (!active_.empty()) advance(earliest()->end_ns);
  }

 private:
  struct Active {
    std::uint32_t local;
    std::int64_t end_ns;
    double fraction;
  };

  std::vector<Active>::iterator earliest() {
    return std::min_element(active_.begin(), active_.end(),
                            [](const Active& a, const Active& b) { return a.end_ns < b.end_ns; });
  }

  void advance(std::int64_t to_ns) {
    while (!active_.empty()) {
      const auto first = earliest();
      const std::int64_t stop = std::min(first->end_ns, to_ns);
      share(cursor_, stop);
      cursor_ = std::max(cursor_, stop);
      if (first->end_ns > to_ns) return;
      last_ = first->local;
      active_.erase(first);
    }
  }

  void share(std::int64_t from_ns, std::int64_t to_ns) {
    if (to_ns <= from_ns) return;
    double total = 0;
    for (const Active& a : active_) total += a.fraction;
    const double seconds = static_cast<double>(to_ns - from_ns) * 1e-9;
    if (active_.size() > 1) timeline_.overlapped_s += seconds;
    for_each_bin(from_ns, to_ns, [&](std::uint32_t bin, double piece_s) {
      for (const Active& a : active_) give(a.local, bin, piece_s * a.fraction / total);
    });
  }

  /// Cuts [from, to) at the bins' borders.
  template <class F>
  void for_each_bin(std::int64_t from_ns, std::int64_t to_ns, F f) {
    const double bin_ns = timeline_.bin_s * 1e9;
    double at = static_cast<double>(from_ns - timeline_.origin_ns);
    const double end = static_cast<double>(to_ns - timeline_.origin_ns);
    while (at < end) {
      const double bin = std::floor(at / bin_ns);
      const double stop = std::min(end, (bin + 1) * bin_ns);
      if (stop <= at) return;  // rounding at a border
      f(static_cast<std::uint32_t>(bin), (stop - at) * 1e-9);
      at = stop;
    }
  }

  void gap(std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t length = to_ns - from_ns;
    if (length <= 0) return;
    if (length <= owned_gap_ns) {
      for_each_bin(from_ns, to_ns, [&](std::uint32_t bin, double piece_s) { give(last_, bin, piece_s); });
    } else if (length <= launch_gap_ns) {
      for_each_bin(from_ns, to_ns, [&](std::uint32_t bin, double piece_s) { bins_.add(bin, gap_column_, piece_s); });
      timeline_.gap_s += static_cast<double>(length) * 1e-9;
    } else {
      timeline_.idle_s += static_cast<double>(length) * 1e-9;
    }
  }

  void give(std::uint32_t local, std::uint32_t bin, double seconds) {
    timeline_.launch_s[local] += static_cast<float>(seconds);
    bins_.add(bin, timeline_.launch_column[local], seconds);
  }

  const run::Trace& trace_;
  Timeline& timeline_;
  BinWriter& bins_;
  std::uint32_t gap_column_;
  std::vector<double> fraction_;
  std::vector<Active> active_;
  std::int64_t cursor_ = 0;
  std::uint32_t last_ = 0;
  bool started_ = false;
};

/// A tiny launch takes the column of the next launch that is not tiny, if that follows closely.
void assign_columns(const run::Trace& trace, const Columns& columns, Timeline& timeline) {
  timeline.launch_column.resize(timeline.launches.size());
  std::uint32_t follower_column = run::none;
  std::int64_t follower_start = 0;
  for (std::size_t i = timeline.launches.size(); i-- > 0;) {
    const run::Launch& launch = trace.launches[timeline.launches[i]];
    const bool tiny = columns.class_is_tiny[launch.kernel_class];
    std::uint32_t column = columns.of_class[launch.kernel_class];
    if (tiny && follower_column != run::none && follower_start - launch.end_ns() < follower_within_ns) {
      column = follower_column;
      ++timeline.tiny_launches;
    }
    if (!tiny) {
      follower_column = column;
      follower_start = launch.start_ns;
    }
    timeline.launch_column[i] = column;
  }
}

}  // namespace

Columns choose_columns(const run::Trace& trace, std::uint32_t gpu, const ProgramStructure& structure,
                       std::uint32_t max_columns) {
  const std::size_t classes = trace.classes.size();
  std::vector<double> total_ns(classes, 0);
  std::vector<double> count(classes, 0);
  double busy_ns = 0;
  for (const run::Launch& launch : trace.launches) {
    if (trace.streams[launch.stream].gpu != gpu) continue;
    total_ns[launch.kernel_class] += static_cast<double>(launch.duration_ns);
    count[launch.kernel_class] += 1;
    busy_ns += static_cast<double>(launch.duration_ns);
  }
  std::vector<std::uint32_t> order(classes);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return total_ns[a] > total_ns[b]; });
  Columns columns;
  columns.of_class.assign(classes, run::none);
  columns.class_is_tiny.assign(classes, false);
  std::vector<std::uint32_t> pool(static_cast<std::size_t>(Category::other) + 1, run::none);
  for (const std::uint32_t k : order) {
    if (count[k] == 0) continue;
    columns.class_is_tiny[k] = total_ns[k] / count[k] < tiny_mean_ns && total_ns[k] < tiny_share * busy_ns;
    const bool own = columns.size() < max_columns && !columns.class_is_tiny[k] && total_ns[k] > 2e-4 * busy_ns;
    std::uint32_t& shared = pool[static_cast<std::size_t>(structure.class_category[k])];
    if (!own && shared != run::none) {
      columns.of_class[k] = shared;
      continue;
    }
    columns.of_class[k] = columns.size();
    if (!own) shared = columns.size();
    columns.category.push_back(structure.class_category[k]);
    columns.sole_class.push_back(own ? k : run::none);
  }
  return columns;
}

Timeline build_timeline(const run::Trace& trace, std::uint32_t gpu, const Columns& columns, double pad_s) {
  Timeline timeline;
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    if (trace.streams[launch.stream].gpu != gpu) continue;
    timeline.last_ns = timeline.launches.empty() ? launch.end_ns() : std::max(timeline.last_ns, launch.end_ns());
    timeline.launches.push_back(i);
  }
  if (timeline.launches.empty()) return timeline;
  timeline.first_ns = trace.launches[timeline.launches.front()].start_ns;
  const auto pad_ns = static_cast<std::int64_t>(pad_s * 1e9);
  const double span_s = static_cast<double>(timeline.last_ns - timeline.first_ns) * 1e-9 + 2 * pad_s;
  constexpr double max_bins = 2e6;
  timeline.bin_s = std::max(1e-3, span_s / max_bins);
  timeline.bins = static_cast<std::uint32_t>(std::ceil(span_s / timeline.bin_s)) + 1;
  timeline.origin_ns = timeline.first_ns - pad_ns;
  timeline.launch_s.assign(timeline.launches.size(), 0.0F);
  assign_columns(trace, columns, timeline);
  BinWriter bins(timeline, columns.size());
  Sweep sweep(trace, trace.gpus[gpu], timeline, bins, columns.size());
  for (std::uint32_t i = 0; i < timeline.launches.size(); ++i) sweep.start(i);
  sweep.finish();
  bins.flush(0);
  return timeline;
}

}  // namespace kernwatt::attribution
