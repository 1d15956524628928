// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/ranks/collective_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace kernwatt::attribution {
namespace {

/// In these, no rank is done before all have come. A broadcast's root may leave early, and a send concerns two.
constexpr std::array<std::string_view, 4> all_end_together{"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};

/// Ranks of one collective end this close together, their clocks' error included.
constexpr std::int64_t together_ns = 200'000;

constexpr std::size_t unknown_group = 0;

struct Instance {
  std::uint32_t member = 0;  ///< which GPU of which trace
  std::uint32_t launch = 0;
  std::size_t kind = 0;
  std::size_t group = unknown_group;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// One GPU of one trace, with its collectives by end.
struct Member {
  std::uint32_t trace = 0;
  std::vector<Instance> instances;
  std::int64_t clock_ns = 0;  ///< to add to its times
};

std::optional<std::size_t> kind_of(const std::string& collective) {
  const auto at = std::find(all_end_together.begin(), all_end_together.end(), collective);
  if (at == all_end_together.end()) return std::nullopt;
  return static_cast<std::size_t>(at - all_end_together.begin());
}

/// Numbers for the groups of ranks that the traces name; the same text is the same group.
class Groups {
 public:
  std::size_t of(const run::Trace& trace, const run::Stream& stream) {
    if (stream.process_group == run::none) return unknown_group;
    const std::string ranks(trace.names.at(stream.process_group));
    return numbers_.try_emplace(ranks, numbers_.size() + 1).first->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

std::vector<Member> members_of(const std::vector<run::Trace>& traces, const std::vector<ProgramStructure>& structures) {
  std::vector<Member> members;
  Groups groups;
  for (std::uint32_t t = 0; t < traces.size(); ++t) {
    const run::Trace& trace = traces[t];
    if (!trace.time_is_absolute) continue;
    std::vector<Member> of_gpu(trace.gpus.size());
    for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
      const run::Launch& launch = trace.launches[i];
      const auto kind = kind_of(structures[t].collective_of_class[launch.kernel_class]);
      const bool ran = kind && launch.duration_ns > 0;
      if (!ran) continue;
      const run::Stream& stream = trace.streams[launch.stream];
      of_gpu[stream.gpu].instances.push_back({0, i, *kind, groups.of(trace, stream), launch.start_ns, launch.end_ns()});
    }
    for (Member& member : of_gpu) {
      if (member.instances.empty()) continue;
      member.trace = t;
      for (Instance& instance : member.instances) instance.member = static_cast<std::uint32_t>(members.size());
      std::sort(member.instances.begin(), member.instances.end(),
                [](const Instance& a, const Instance& b) { return a.end_ns < b.end_ns; });
      members.push_back(std::move(member));
    }
  }
  return members;
}

/// The end nearest to `end_ns` among instances of one kind; they come by end.
const Instance* nearest(const std::vector<Instance>& instances, std::size_t kind, std::int64_t end_ns) {
  const auto from = std::lower_bound(instances.begin(), instances.end(), end_ns,
                                     [](const Instance& a, std::int64_t ns) { return a.end_ns < ns; });
  const Instance* best = nullptr;
  const auto consider = [&](const Instance& instance) {
    if (best == nullptr || std::llabs(instance.end_ns - end_ns) < std::llabs(best->end_ns - end_ns)) best = &instance;
  };
  for (auto at = from; at != instances.end(); ++at)
    if (at->kind == kind) {
      consider(*at);
      break;
    }
  for (auto at = from; at != instances.begin();)
    if ((--at)->kind == kind) {
      consider(*at);
      break;
    }
  return best;
}

std::int64_t median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Clocks of two hosts differ by a constant: the median difference of the ends, where most ends then agree.
void set_clock(const Member& reference, Member& member) {
  std::vector<std::int64_t> off;
  off.reserve(member.instances.size());
  for (const Instance& instance : member.instances)
    if (const Instance* other = nearest(reference.instances, instance.kind, instance.end_ns))
      off.push_back(other->end_ns - instance.end_ns);
  if (off.empty()) return;
  const std::int64_t middle = median(off);
  const auto agree =
      std::count_if(off.begin(), off.end(), [&](auto ns) { return std::llabs(ns - middle) <= together_ns; });
  if (std::llabs(middle) <= together_ns || 2 * agree <= static_cast<std::ptrdiff_t>(off.size())) return;
  member.clock_ns = middle;
  for (Instance& instance : member.instances) instance.start_ns += middle, instance.end_ns += middle;
}

class WaitFinder {
 public:
  WaitFinder(std::vector<Member> members, CollectiveWaits& waits) : members_(std::move(members)), waits_(waits) {
    for (const Member& member : members_) all_.insert(all_.end(), member.instances.begin(), member.instances.end());
    std::sort(all_.begin(), all_.end(), [](const Instance& a, const Instance& b) {
      return std::tie(a.kind, a.group, a.end_ns, a.member) < std::tie(b.kind, b.group, b.end_ns, b.member);
    });
  }

  void find() {
    for (std::size_t from = 0; from < all_.size();) {
      std::vector<bool> there(members_.size(), false);
      std::size_t to = from;
      for (; to < all_.size() && belongs(all_[from], all_[to]) && !there[all_[to].member]; ++to)
        there[all_[to].member] = true;
      if (to - from > 1) take(from, to);
      from = std::max(to, from + 1);
    }
    for (auto& of_trace : waits_.of_trace)
      std::sort(of_trace.begin(), of_trace.end(),
                [](const CollectiveWait& a, const CollectiveWait& b) { return a.launch < b.launch; });
  }

  std::size_t matched() const { return matched_; }
  std::size_t all() const { return all_.size(); }
  std::int64_t waiting_ns() const { return waiting_ns_; }
  std::int64_t matched_ns() const { return matched_ns_; }

 private:
  static bool belongs(const Instance& first, const Instance& next) {
    const bool groups_differ = first.group != unknown_group && next.group != unknown_group && first.group != next.group;
    return !groups_differ && next.kind == first.kind && next.end_ns - first.end_ns <= together_ns &&
           next.start_ns < first.end_ns;
  }

  void take(std::size_t from, std::size_t to) {
    std::int64_t last_start = INT64_MIN;
    for (std::size_t i = from; i < to; ++i) last_start = std::max(last_start, all_[i].start_ns);
    for (std::size_t i = from; i < to; ++i) {
      const Instance& one = all_[i];
      const std::int64_t duration = one.end_ns - one.start_ns;
      const std::int64_t waiting = std::clamp<std::int64_t>(last_start - one.start_ns, 0, duration);
      waits_.of_trace[members_[one.member].trace].push_back({one.launch, waiting});
      waiting_ns_ += waiting;
      matched_ns_ += duration;
      ++matched_;
    }
  }

  std::vector<Member> members_;
  CollectiveWaits& waits_;
  std::vector<Instance> all_;
  std::size_t matched_ = 0;
  std::int64_t waiting_ns_ = 0;
  std::int64_t matched_ns_ = 0;
};

void note_clocks(const std::vector<Member>& members, const std::vector<run::Trace>& traces, QualityLedger& quality) {
  for (const Member& member : members)
    if (member.clock_ns != 0)
      quality.add("comm.rank-clocks", Severity::info,
                  fmt::format("the collectives of {} end {:+.2f} ms beside those of the first rank: the hosts' clocks "
                              "differ, and waiting was judged without that difference",
                              traces[member.trace].file, static_cast<double>(-member.clock_ns) * 1e-6));
}

void note_result(const WaitFinder& found, const std::vector<Member>& members, const std::vector<run::Trace>& traces,
                 QualityLedger& quality) {
  constexpr double most = 0.5;
  const double part = static_cast<double>(found.matched()) / static_cast<double>(found.all());
  if (part < most)
    quality.add(
        "comm.not-matched", Severity::info,
        fmt::format("{:.0f} % of the collectives found their counterparts on other ranks (traces of other times "
                    "or other jobs?): for the rest, waiting and moving data are not told apart",
                    100 * part));
  if (found.matched() == 0) return;
  quality.add(
      "comm.waiting", Severity::info,
      fmt::format("of {:.3f} s in collectives that several ranks have in common, {:.3f} s were waiting for the "
                  "last rank to come; both are charged at the power of their kernel",
                  static_cast<double>(found.matched_ns()) * 1e-9, static_cast<double>(found.waiting_ns()) * 1e-9));
  std::optional<int> world;
  for (const Member& member : members)
    if (traces[member.trace].world_size) world = std::max(world.value_or(0), *traces[member.trace].world_size);
  if (world && static_cast<std::size_t>(*world) > members.size())
    quality.add("comm.ranks-missing", Severity::info,
                fmt::format("traces of {} of {} ranks: the last to come may be another, so waiting is at least what is "
                            "given",
                            members.size(), *world));
}

}  // namespace

CollectiveWaits find_waits(const std::vector<run::Trace>& traces, const std::vector<ProgramStructure>& structures,
                           QualityLedger& quality) {
  CollectiveWaits waits;
  waits.of_trace.resize(traces.size());
  std::vector<Member> members = members_of(traces, structures);
  if (members.size() < 2) return waits;
  for (std::size_t m = 1; m < members.size(); ++m) set_clock(members[0], members[m]);
  note_clocks(members, traces, quality);
  WaitFinder finder(members, waits);
  finder.find();
  note_result(finder, members, traces, quality);
  waits.any = finder.matched() > 0;
  return waits;
}

}  // namespace kernwatt::attribution
