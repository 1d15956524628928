// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/launch_cells.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>

namespace kernwatt::attribution {
namespace {

struct KeyHash {
  std::size_t operator()(const CellKey& k) const {
    std::uint64_t h = k.kernel_class;
    for (const std::uint64_t part : {std::uint64_t{k.column}, std::uint64_t{k.op}, std::uint64_t{k.layer},
                                     (static_cast<std::uint64_t>(k.phase) << 3) | (k.waiting ? 4U : 0U) |
                                         (k.overlapped ? 2U : 0U) | (k.covered ? 1U : 0U)})
      h = (h ^ part) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

/// Means of the clock's log ratio over any stretch, by a running sum over the bins.
class ClockMean {
 public:
  ClockMean(const Timeline& timeline, const ClockTrack& clock) : bin_s_(timeline.bin_s), sum_(timeline.bins + 1, 0.0) {
    for (std::uint32_t i = 0; i < timeline.bins; ++i) sum_[i + 1] = sum_[i] + static_cast<double>(clock.log_ratio[i]);
  }
  double mean(double from_s, double to_s) const {
    const auto last = static_cast<double>(sum_.size() - 2);
    const auto a = static_cast<std::size_t>(std::clamp(from_s / bin_s_, 0.0, last));
    const auto b = static_cast<std::size_t>(std::clamp(to_s / bin_s_, 0.0, last));
    return (sum_[b + 1] - sum_[a]) / static_cast<double>(b + 1 - a);
  }

 private:
  double bin_s_;
  std::vector<double> sum_;
};

class CellTable {
 public:
  std::uint32_t find(const CellKey& key) {
    if (last_ < cells_.size() && cells_[last_].key == key) return last_;
    const auto [at, added] = index_.try_emplace(key, static_cast<std::uint32_t>(cells_.size()));
    if (added) {
      cells_.emplace_back();
      cells_.back().key = key;
    }
    last_ = at->second;
    return last_;
  }
  LaunchCell& operator[](std::uint32_t i) { return cells_[i]; }
  std::vector<LaunchCell> take() { return std::move(cells_); }

 private:
  std::vector<LaunchCell> cells_;
  std::unordered_map<CellKey, std::uint32_t, KeyHash> index_;
  std::uint32_t last_ = 0;
};

/// How a communication launch's duration divides; the parts add up to 1.
struct CommunicationPart {
  bool overlapped;
  bool waiting;
  double share;
};
using CommunicationParts = std::array<CommunicationPart, 4>;

/// The parts of each communication launch, by walking two sorted lists.
class Exposure {
 public:
  explicit Exposure(const CommunicationOverlap& overlap) : list_(overlap.launches) {}
  /// Precondition: called with ascending launches.
  CommunicationParts of(std::uint32_t launch, std::int64_t duration_ns) {
    while (next_ < list_.size() && list_[next_].launch < launch) ++next_;
    if (next_ >= list_.size() || list_[next_].launch != launch || duration_ns <= 0) return whole;
    const ExposedCommunication& c = list_[next_];
    const auto share = [&](std::int64_t ns) {
      return std::clamp(static_cast<double>(ns) / static_cast<double>(duration_ns), 0.0, 1.0);
    };
    const double waiting = share(c.waiting_ns);
    const double exposed_waiting = std::min(share(c.exposed_waiting_ns), waiting);
    const double exposed_moving = std::clamp(share(c.exposed_ns) - exposed_waiting, 0.0, 1 - waiting);
    return {{{false, false, exposed_moving},
             {true, false, 1 - waiting - exposed_moving},
             {false, true, exposed_waiting},
             {true, true, waiting - exposed_waiting}}};
  }

  static constexpr CommunicationParts whole{
      {{false, false, 1.0}, {true, false, 0.0}, {false, true, 0.0}, {true, true, 0.0}}};

 private:
  const std::vector<ExposedCommunication>& list_;
  std::size_t next_ = 0;
};

void add(LaunchCell& cell, double part, double time_s, double owned_s, double g) {
  cell.launches += part;
  cell.time_s += part * time_s;
  cell.owned_s += part * owned_s;
  cell.clock_s += part * owned_s * g;
}

}  // namespace

std::vector<LaunchCell> collect_cells(const run::Trace& trace, const ProgramStructure& structure,
                                      const CommunicationOverlap& overlap, const Timeline& timeline,
                                      const ClockTrack& clock, const Span& selected, const Span& covered) {
  const ClockMean clock_mean(timeline, clock);
  Exposure exposure(overlap);
  CellTable table;
  std::size_t next_flops = 0;
  std::size_t next_unknown = 0;
  for (std::size_t i = 0; i < timeline.launches.size(); ++i) {
    const std::uint32_t index = timeline.launches[i];
    const run::Launch& launch = trace.launches[index];
    const double start_s = static_cast<double>(launch.start_ns - timeline.origin_ns) * 1e-9;
    const double time_s = static_cast<double>(launch.duration_ns) * 1e-9;
    const double from_s = std::max(start_s, selected.from_s);
    const double to_s = std::min(start_s + time_s, selected.to_s);
    // A launch that the selection cuts counts with the part inside; one without duration, when it starts inside.
    if (to_s < from_s || start_s >= selected.to_s || (to_s == from_s && time_s > 0)) continue;
    const double part = time_s > 0 ? (to_s - from_s) / time_s : 1.0;
    const double middle_s = (from_s + to_s) / 2;
    CellKey key{launch.kernel_class,
                timeline.launch_column[i],
                structure.launch_operator[index],
                structure.launch_layer[index],
                structure.launch_phase[index],
                false,
                false,
                middle_s >= covered.from_s && middle_s < covered.to_s};
    const double g = clock_mean.mean(start_s, start_s + time_s);
    const double owned_s = static_cast<double>(timeline.launch_s[i]);
    const bool collective = structure.class_category[launch.kernel_class] == Category::communication;
    const CommunicationParts parts = collective ? exposure.of(index, launch.duration_ns) : Exposure::whole;
    std::uint32_t cell = run::none;
    for (const CommunicationPart& p : parts) {
      if (p.share <= 0) continue;
      key.overlapped = p.overlapped;
      key.waiting = p.waiting;
      const std::uint32_t at = table.find(key);
      if (cell == run::none) cell = at;
      add(table[at], part * p.share, time_s, owned_s, g);
    }
    while (next_flops < structure.launch_flops.size() && structure.launch_flops[next_flops].launch < index)
      ++next_flops;
    if (next_flops < structure.launch_flops.size() && structure.launch_flops[next_flops].launch == index)
      table[cell].flops += part * structure.launch_flops[next_flops].flops;
    const auto& unknown = structure.launches_without_flops;
    while (next_unknown < unknown.size() && unknown[next_unknown] < index) ++next_unknown;
    if (next_unknown < unknown.size() && unknown[next_unknown] == index) table[cell].flops_unknown = true;
  }
  return table.take();
}

}  // namespace kernwatt::attribution
