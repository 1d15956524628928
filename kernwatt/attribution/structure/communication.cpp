// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/communication.hpp"

#include <algorithm>

namespace kernwatt::attribution {
namespace {

struct Stretch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// Stretches come by start; those that touch become one.
void unite(std::vector<Stretch>& stretches, Stretch next) {
  if (!stretches.empty() && next.start_ns <= stretches.back().end_ns) {
    stretches.back().end_ns = std::max(stretches.back().end_ns, next.end_ns);
  } else {
    stretches.push_back(next);
  }
}

struct GpuTime {
  std::vector<Stretch> compute;
  std::vector<Stretch> communication;
  std::vector<std::uint32_t> collectives;
};

// Time that stretches of `others` cover in each of the stretches asked for, which must come by start.
class Cover {
 public:
  explicit Cover(const std::vector<Stretch>& others) : others_(others) {}
  std::int64_t of(Stretch asked) {
    while (first_ < others_.size() && others_[first_].end_ns <= asked.start_ns) ++first_;
    std::int64_t covered = 0;
    for (std::size_t k = first_; k < others_.size() && others_[k].start_ns < asked.end_ns; ++k) {
      covered += std::min(asked.end_ns, others_[k].end_ns) - std::max(asked.start_ns, others_[k].start_ns);
    }
    return covered;
  }

 private:
  const std::vector<Stretch>& others_;
  std::size_t first_ = 0;
};

std::int64_t waiting_of(const std::vector<CollectiveWait>& waits, std::uint32_t launch) {
  const auto at = std::lower_bound(waits.begin(), waits.end(), launch,
                                   [](const CollectiveWait& wait, std::uint32_t l) { return wait.launch < l; });
  return at != waits.end() && at->launch == launch ? at->waiting_ns : 0;
}

std::vector<GpuTime> time_by_gpu(const run::Trace& trace, const std::vector<Category>& class_category) {
  const std::size_t unknown_gpu = trace.gpus.size();
  std::vector<GpuTime> gpus(unknown_gpu + 1);
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    if (trace.classes[launch.kernel_class].kind != run::LaunchKind::kernel) continue;
    const std::size_t gpu =
        launch.stream == run::none ? unknown_gpu : std::min<std::size_t>(trace.streams[launch.stream].gpu, unknown_gpu);
    const Stretch stretch{launch.start_ns, launch.end_ns()};
    if (class_category[launch.kernel_class] == Category::communication) {
      unite(gpus[gpu].communication, stretch);
      gpus[gpu].collectives.push_back(i);
    } else {
      unite(gpus[gpu].compute, stretch);
    }
  }
  return gpus;
}

}  // namespace

CommunicationOverlap communication_overlap(const run::Trace& trace, const std::vector<Category>& class_category,
                                           const std::vector<CollectiveWait>& waits) {
  CommunicationOverlap overlap;
  if (std::find(class_category.begin(), class_category.end(), Category::communication) == class_category.end()) {
    return overlap;
  }
  for (const GpuTime& gpu : time_by_gpu(trace, class_category)) {
    Cover under_union(gpu.compute);
    for (const Stretch& stretch : gpu.communication) overlap.overlapped_ns += under_union.of(stretch);
    Cover under_each(gpu.compute);
    for (const std::uint32_t i : gpu.collectives) {
      const run::Launch& launch = trace.launches[i];
      overlap.comm_ns += launch.duration_ns;
      const std::int64_t waiting_ns = waiting_of(waits, i);
      const std::int64_t hidden_wait_ns = under_each.of({launch.start_ns, launch.start_ns + waiting_ns});
      const std::int64_t hidden_ns = under_each.of({launch.start_ns, launch.end_ns()});
      overlap.launches.push_back({i, launch.duration_ns - hidden_ns, waiting_ns, waiting_ns - hidden_wait_ns});
    }
  }
  if (!waits.empty()) {
    overlap.waiting_ns = 0;
    for (const CollectiveWait& wait : waits) *overlap.waiting_ns += wait.waiting_ns;
  }
  std::sort(overlap.launches.begin(), overlap.launches.end(),
            [](const ExposedCommunication& a, const ExposedCommunication& b) { return a.launch < b.launch; });
  return overlap;
}

}  // namespace kernwatt::attribution
