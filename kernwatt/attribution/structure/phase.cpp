// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/attribution/structure/phase_rules.hpp"

namespace kernwatt::attribution {

std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 9> names{"forward",       "backward",     "optimizer", "prefill", "decode",
                                                  "communication", "data loading", "copy",      "compute"};
  return names[static_cast<std::size_t>(phase)];
}

namespace {

using MaybePhase = std::optional<Phase>;

std::string_view name_or_empty(const run::Trace& trace, run::NameId name) {
  return name == run::none ? std::string_view() : trace.names.at(name);
}

bool is_serving(Phase phase) { return phase == Phase::prefill || phase == Phase::decode; }

// Phases of all names that serve as ranges, each asked once.
class RangePhases {
 public:
  explicit RangePhases(const run::Trace& trace) : trace_(trace), known_(trace.names.size(), false) {
    phase_.resize(trace.names.size());
  }
  MaybePhase of(run::NameId name) {
    if (name == run::none) return std::nullopt;
    if (!known_[name]) {
      known_[name] = true;
      phase_[name] = phase_of_range(trace_.names.at(name));
    }
    return phase_[name];
  }

 private:
  const run::Trace& trace_;
  std::vector<bool> known_;
  std::vector<MaybePhase> phase_;
};

// A serving engine's batch decides over what it calls "forward" inside; otherwise the innermost range decides.
MaybePhase phase_of_ranges(const run::Site& site, RangePhases& ranges) {
  MaybePhase innermost;
  for (const run::NameId range : site.ranges) {
    const MaybePhase phase = ranges.of(range);
    if (!phase) continue;
    if (is_serving(*phase)) return phase;
    innermost = phase;
  }
  return innermost;
}

MaybePhase phase_of_site(const run::Trace& trace, const run::Site& site, RangePhases& ranges) {
  const MaybePhase by_range = phase_of_ranges(site, ranges);
  if (site.on_backward_thread && (!by_range || *by_range == Phase::forward)) return Phase::backward;
  if (by_range) return by_range;
  for (const run::NameId op : {site.op, site.outer_op}) {
    if (const MaybePhase by_operator = phase_of_operator(name_or_empty(trace, op))) return by_operator;
  }
  return std::nullopt;
}

enum class ClassPhase : std::uint8_t { follows_site, communication, copy };

std::vector<ClassPhase> phases_of_classes(const run::Trace& trace, const ProgramStructure& structure) {
  std::vector<ClassPhase> phases(trace.classes.size(), ClassPhase::follows_site);
  for (std::size_t c = 0; c < phases.size(); ++c) {
    const run::KernelClass& kernel_class = trace.classes[c];
    if (structure.class_category[c] == Category::communication) phases[c] = ClassPhase::communication;
    if (kernel_class.kind == run::LaunchKind::memcpy && crosses_the_bus(name_or_empty(trace, kernel_class.name))) {
      phases[c] = ClassPhase::copy;
    }
  }
  return phases;
}

// Follows the launches of one GPU and tells the pass from the names of kernels: the loss and the first kernel of the
// backward pass turn forward into backward; the optimizer, or the next embedding look-up, ends it. A forward kernel
// inside the backward pass is a recomputation and stays there.
class TrainingPass {
 public:
  Phase next(PassMark mark, Category category) {
    if (category == Category::optimizer) return state_ = Phase::optimizer;
    const bool backward = mark == PassMark::backward;
    if (state_ == Phase::optimizer && !backward) state_ = Phase::forward;
    if (mark == PassMark::start) state_ = Phase::forward;
    if (backward) state_ = Phase::backward;
    const Phase here = state_;
    if (mark == PassMark::loss && state_ == Phase::forward) state_ = Phase::backward;
    return here;
  }

 private:
  Phase state_ = Phase::forward;
};

// Tells prefill from decode. What runs before the first attention of a step waits for it.
class ServingPass {
 public:
  explicit ServingPass(std::vector<Phase>& phases) : phases_(phases) {}
  void next(std::uint32_t launch, PassMark mark) {
    if (mark == PassMark::start) waits_ = true;
    if (mark == PassMark::prefill || mark == PassMark::decode) {
      state_ = mark == PassMark::prefill ? Phase::prefill : Phase::decode;
      for (const std::uint32_t early : early_) phases_[early] = state_;
      early_.clear();
      waits_ = false;
    }
    if (waits_) early_.push_back(launch);
    phases_[launch] = state_;
  }

 private:
  std::vector<Phase>& phases_;
  std::vector<std::uint32_t> early_;
  Phase state_ = Phase::compute;
  bool waits_ = true;
};

struct Marks {
  std::vector<PassMark> of_class;
  bool training = false;
  bool serving = false;
};

Marks marks_of(const run::Trace& trace, const ProgramStructure& structure) {
  Marks marks;
  marks.of_class.resize(trace.classes.size(), PassMark::none);
  for (std::size_t c = 0; c < trace.classes.size(); ++c) {
    if (trace.classes[c].kind != run::LaunchKind::kernel) continue;
    const PassMark mark = pass_mark_of(prepare_kernel_name(name_or_empty(trace, trace.classes[c].name)));
    marks.of_class[c] = mark;
    marks.training |= mark == PassMark::backward || structure.class_category[c] == Category::optimizer;
    marks.serving |= mark == PassMark::prefill || mark == PassMark::decode;
  }
  return marks;
}

struct Undecided {
  std::vector<std::uint32_t> launches;
  std::array<std::uint64_t, 9> decided{};  // launches by phase
  bool has(Phase phase) const { return decided[static_cast<std::size_t>(phase)] > 0; }
};

Undecided decide_by_site(const run::Trace& trace, ProgramStructure& structure) {
  RangePhases ranges(trace);
  std::vector<MaybePhase> site_phase;
  for (const run::Site& site : trace.sites) site_phase.push_back(phase_of_site(trace, site, ranges));
  const std::vector<ClassPhase> class_phase = phases_of_classes(trace, structure);

  Undecided undecided;
  structure.launch_phase.assign(trace.launches.size(), Phase::compute);
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    const std::uint32_t site = launch.call == run::none ? run::none : trace.calls[launch.call].site;
    const bool by_site = site != run::none && site_phase[site].has_value();
    Phase phase = by_site ? *site_phase[site] : Phase::compute;
    const ClassPhase by_class = class_phase[launch.kernel_class];
    if (by_class == ClassPhase::communication) phase = Phase::communication;
    if (by_class == ClassPhase::copy && phase != Phase::data_loading) phase = Phase::copy;
    structure.launch_phase[i] = phase;
    if (phase == Phase::compute) {
      undecided.launches.push_back(i);
    } else {
      ++undecided.decided[static_cast<std::size_t>(phase)];
    }
  }
  return undecided;
}

// A trace that marks its backward pass or its optimizer is of a training. What autograd numbers is forward. What it
// does not number, between the backward pass and a marked optimizer or the end of the iteration, clips gradients or
// updates weights; elsewhere it is forward. A launch without a call (a driver's helper, a graph) goes with its
// neighbour before.
class RestOfTraining {
 public:
  RestOfTraining(const run::Trace& trace, const ProgramStructure& structure) : trace_(trace), structure_(structure) {}
  void see_decided(std::size_t i) {
    const Phase phase = structure_.launch_phase[i];
    if (phase == Phase::communication || phase == Phase::copy) return;
    before_ = phase;
    behind_backward_ = phase == Phase::backward;
    iteration_ = trace_.launches[i].iteration;
  }
  Phase guess(std::size_t i) {
    const run::Launch& launch = trace_.launches[i];
    if (launch.iteration != iteration_) behind_backward_ = false;
    iteration_ = launch.iteration;
    if (structure_.class_category[launch.kernel_class] == Category::optimizer) return before_ = Phase::optimizer;
    if (launch.call == run::none) return before_;
    if (trace_.calls[launch.call].sequence >= 0) behind_backward_ = false;
    return before_ = behind_backward_ ? Phase::optimizer : Phase::forward;
  }

 private:
  const run::Trace& trace_;
  const ProgramStructure& structure_;
  Phase before_ = Phase::forward;
  bool behind_backward_ = false;
  std::uint32_t iteration_ = run::none;
};

void guess_rest_of_training(const run::Trace& trace, ProgramStructure& structure, const Undecided& undecided,
                            QualityLedger& quality) {
  RestOfTraining rest(trace, structure);
  std::size_t next = 0;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    if (next < undecided.launches.size() && undecided.launches[next] == i) {
      structure.launch_phase[i] = rest.guess(i);
      ++next;
    } else {
      rest.see_decided(i);
    }
  }
  quality.add("structure.phase-guessed", Severity::info,
              "launches outside every named phase were counted as forward, or behind the backward pass as optimizer, "
              "because the trace marks its backward pass or its optimizer",
              undecided.launches.size());
}

void guess_by_kernel_names(const run::Trace& trace, ProgramStructure& structure, const Undecided& undecided,
                           const Marks& marks, QualityLedger& quality) {
  std::vector<TrainingPass> training(trace.gpus.size() + 1);
  std::vector<ServingPass> serving(trace.gpus.size() + 1, ServingPass(structure.launch_phase));
  for (const std::uint32_t i : undecided.launches) {
    const run::Launch& launch = trace.launches[i];
    const std::size_t gpu = launch.stream == run::none
                                ? trace.gpus.size()
                                : std::min<std::size_t>(trace.streams[launch.stream].gpu, trace.gpus.size());
    const PassMark mark = marks.of_class[launch.kernel_class];
    if (marks.training) {
      structure.launch_phase[i] = training[gpu].next(mark, structure.class_category[launch.kernel_class]);
    } else {
      serving[gpu].next(i, mark);
    }
  }
  quality.add("structure.phase-guessed", Severity::info,
              marks.training ? "the trace names no phases: forward, backward and optimizer were told from the names "
                               "and the order of the kernels"
                             : "the trace names no phases: prefill and decode were told from the attention kernels",
              undecided.launches.size());
}

void find_data_loading(const run::Trace& trace, ProgramStructure& structure) {
  RangePhases ranges(trace);
  for (const run::HostRange& range : trace.host_ranges) {
    if (ranges.of(range.name) == Phase::data_loading) structure.data_loading.push_back(range);
  }
  std::stable_sort(structure.data_loading.begin(), structure.data_loading.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
}

}  // namespace

void find_phases(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality) {
  find_data_loading(trace, structure);
  const Undecided undecided = decide_by_site(trace, structure);
  if (undecided.launches.empty()) return;

  if (undecided.has(Phase::backward) || undecided.has(Phase::optimizer)) {
    guess_rest_of_training(trace, structure, undecided, quality);
    return;
  }
  const Marks marks = marks_of(trace, structure);
  const bool phases_named =
      undecided.has(Phase::forward) || undecided.has(Phase::prefill) || undecided.has(Phase::decode);
  if (!phases_named && (marks.training || marks.serving)) {
    guess_by_kernel_names(trace, structure, undecided, marks, quality);
    return;
  }
  quality.add("structure.phase-unknown", Severity::info,
              "the trace does not tell the phase of these launches; they are counted as \"compute\"",
              undecided.launches.size());
}

}  // namespace kernwatt::attribution
