// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/work_track.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t most_bins = 200'000;
/// A reading stands for about this long before it; most sensors update ten times a second.
constexpr std::int64_t window_ns = 100'000'000;

/// Readings inside [from, to] once shifted, as positions.
std::pair<std::size_t, std::size_t> inside(const run::Series<double>& power, std::int64_t from_ns, std::int64_t to_ns,
                                           std::int64_t shift_ns) {
  const auto first = std::lower_bound(power.time_ns.begin(), power.time_ns.end(), from_ns - shift_ns);
  const auto last = std::upper_bound(first, power.time_ns.end(), to_ns - shift_ns);
  return {static_cast<std::size_t>(first - power.time_ns.begin()),
          static_cast<std::size_t>(last - power.time_ns.begin())};
}

}  // namespace

WorkTrack::WorkTrack(const run::Trace& trace, std::uint32_t gpu) {
  std::vector<const run::Launch*> launches;
  for (const run::Launch& launch : trace.launches)
    if (trace.streams[launch.stream].gpu == gpu) launches.push_back(&launch);
  first_ns_ = launches.front()->start_ns;
  last_ns_ = first_ns_;
  for (const run::Launch* launch : launches) last_ns_ = std::max(last_ns_, launch->end_ns());
  bin_ns_ = std::max(bin_ns_, (last_ns_ - first_ns_) / most_bins + 1);
  const auto bins = static_cast<std::size_t>((last_ns_ - first_ns_) / bin_ns_) + 1;
  std::vector<double> in_bin(bins, 0.0);
  std::int64_t done_ns = first_ns_;
  for (const run::Launch* launch : launches) {
    for (std::int64_t from = std::max(launch->start_ns, done_ns); from < launch->end_ns();) {
      const auto bin = static_cast<std::size_t>((from - first_ns_) / bin_ns_);
      const std::int64_t to = std::min(launch->end_ns(), first_ns_ + (static_cast<std::int64_t>(bin) + 1) * bin_ns_);
      in_bin[bin] += static_cast<double>(to - from);
      from = to;
    }
    done_ns = std::max(done_ns, launch->end_ns());
  }
  busy_ns_.assign(bins + 1, 0.0);
  for (std::size_t i = 0; i < bins; ++i) busy_ns_[i + 1] = busy_ns_[i] + in_bin[i];
}

double WorkTrack::busy(std::int64_t from_ns, std::int64_t to_ns) const {
  const auto last = static_cast<std::int64_t>(busy_ns_.size()) - 1;
  const auto index = [&](std::int64_t ns) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>((ns - first_ns_) / bin_ns_, 0, last));
  };
  return (busy_ns_[index(to_ns)] - busy_ns_[index(from_ns)]) / static_cast<double>(to_ns - from_ns);
}

double WorkTrack::correlation(const run::Series<double>& power, std::int64_t shift_ns, std::size_t enough) const {
  const auto [begin, end] = inside(power, first_ns_, last_ns_ + window_ns, shift_ns);
  if (end - begin < enough) return -1;
  const auto n = static_cast<double>(end - begin);
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::int64_t t = power.time_ns[i] + shift_ns;
    const double b = busy(t - window_ns, t);
    const double w = power.value[i];
    x += b, y += w, xx += b * b, yy += w * w, xy += b * w;
  }
  const double vx = xx / n - x * x / n / n;
  const double vy = yy / n - y * y / n / n;
  if (vx < 0.01 || vy <= 0) return -1;
  return (xy / n - x * y / n / n) / std::sqrt(vx * vy);
}

double WorkTrack::mean_power(const run::Series<double>& power, std::int64_t shift_ns) const {
  const auto [begin, end] = inside(power, first_ns_, last_ns_, shift_ns);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += power.value[i];
  return end > begin ? sum / static_cast<double>(end - begin) : 0;
}

std::vector<TracedWork> work_of(const std::vector<run::Trace>& traces) {
  std::vector<TracedWork> work;
  for (std::uint32_t t = 0; t < traces.size(); ++t) {
    std::vector<bool> used(traces[t].gpus.size(), false);
    for (const run::Launch& launch : traces[t].launches) used[traces[t].streams[launch.stream].gpu] = true;
    for (std::uint32_t g = 0; g < used.size(); ++g)
      if (used[g]) work.push_back({t, g, WorkTrack(traces[t], g)});
  }
  return work;
}

const run::Series<double>* quickest_power(const run::GpuPower& power) {
  for (const auto* s : {&power.power_samples_w, &power.power_instant_w, &power.power_draw_w, &power.power_average_w})
    if (!s->empty()) return s;
  return nullptr;
}

}  // namespace kernwatt::attribution
