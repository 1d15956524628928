// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/quality_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace kernwatt::readers::kineto {
namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.3g} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

class Notes {
 public:
  Notes(const ReadingFacts& facts, run::Trace& trace) : facts_(facts), trace_(trace), quality_(trace.quality) {}

  void write() {
    damage();
    repairs();
    set_aside();
    losses();
    origins();
    times();
    devices();
    missing_kernels();
  }

 private:
  void info(std::string_view id, std::uint64_t count, std::string text) {
    if (count > 0) quality_.add(id, Severity::info, std::move(text), count);
  }
  void warn(std::string_view id, std::uint64_t count, std::string text) {
    if (count > 0) quality_.add(id, Severity::warning, std::move(text), count);
  }
  std::uint64_t kernels() const { return facts_.assembly.origins.kernels; }

  void damage();
  void repairs();
  void set_aside();
  void losses();
  void origins();
  void times();
  void devices();
  void missing_kernels();
  std::string contents() const;
  std::string instead_of_kernels() const;

  const ReadingFacts& facts_;
  run::Trace& trace_;
  QualityLedger& quality_;
};

void Notes::damage() {
  const DocumentFacts& document = facts_.document;
  const BrokenEvents& broken = facts_.broken;
  warn("trace.broken-events", broken.count,
       fmt::format("{} event(s) are not JSON and were left out; the first breaks at {}: {} was expected", broken.count,
                   describe(broken.first), broken.first_expected));
  if (document.torn_at) {
    warn("trace.torn", 1,
         fmt::format("The file ends too early, at {}: the {} events before were read, the rest is lost",
                     describe(*document.torn_at), facts_.counts.events));
  }
  if (document.damaged_at) {
    warn("trace.damaged", 1,
         fmt::format("The document is damaged outside its events, at {}; what follows was searched for events",
                     describe(*document.damaged_at)));
  }
  if (document.gave_up_at) {
    warn("trace.gave-up", 1,
         fmt::format("So much is damaged that reading stopped at {}", describe(*document.gave_up_at)));
  }
  if (document.second_document) {
    warn("trace.second-document", 1,
         fmt::format("Another JSON document follows at {}; only the first was read. Split the file to read both",
                     describe(*document.second_document)));
  }
  if (document.junk_after) {
    warn("trace.trailing-bytes", 1,
         fmt::format("Bytes that do not belong to the document follow at {}; they were ignored",
                     describe(*document.junk_after)));
  }
  warn("trace.oversized-members", document.oversized_members, "A member of the document is too long and was skipped");
  info("trace.not-events", document.elements_not_objects, "Elements of traceEvents that are not objects were ignored");
  for (const std::string& key : facts_.metadata.unreadable) {
    warn("trace.unreadable-member", 1,
         fmt::format("The member \"{}\" is not JSON, or not what it should be, and was ignored", key));
  }
}

void Notes::repairs() {
  const EventCounts& counts = facts_.counts;
  const auto note = [this](std::string_view id, const Occurrence& seen, std::string_view what) {
    info(id, seen.count, fmt::format("{} event(s) {} (the first: {})", seen.count, what, seen.first));
  };
  note("trace.repaired-control-characters", counts.control_characters,
       "have control characters in strings; they are shown as \\x01 and the like");
  note("trace.repaired-encoding", counts.invalid_utf8,
       "have bytes that are not UTF-8; they are shown as \\xff and the like, so that names stay distinct");
  note("trace.repaired-backslashes", counts.backslashes, "have backslashes that are not escaped; they were kept");
  note("trace.repaired-not-a-number", counts.not_numbers, "have NaN or Infinity, which JSON lacks; read as no value");
}

void Notes::set_aside() {
  const EventCounts& counts = facts_.counts;
  warn("trace.lost-timestamps", counts.lost_timestamps.count,
       fmt::format("{} GPU event(s) have time 0 and duration 0: the profiler lost their times. They are set aside "
                   "(the first: {})",
                   counts.lost_timestamps.count, counts.lost_timestamps.first));
  warn("trace.negative-durations", counts.negative_durations.count,
       fmt::format("{} GPU event(s) have a negative duration: the profiler lost their end. They are set aside and not "
                   "counted as busy time (the first: {})",
                   counts.negative_durations.count, counts.negative_durations.first));
  warn("trace.unreadable-times", counts.unreadable_times.count,
       fmt::format("{} GPU event(s) have no readable time or duration and are set aside (the first: {})",
                   counts.unreadable_times.count, counts.unreadable_times.first));
  warn("trace.unreadable-host-times", counts.unreadable_host_times,
       fmt::format("{} host event(s) have no readable time or duration and were left out",
                   counts.unreadable_host_times));
  warn("trace.begin-end-events", counts.begin_end_events,
       fmt::format("{} event(s) are pairs of begin and end (\"B\", \"E\"), which are not read",
                   counts.begin_end_events));
  warn("trace.duplicates", facts_.assembly.duplicates,
       fmt::format("{} GPU event(s) are exact copies of another and were removed", facts_.assembly.duplicates));
}

void Notes::losses() {
  for (const LossCount& loss : facts_.metadata.losses) {
    warn("trace.profiler-dropped", loss.count,
         fmt::format("The profiler itself says that it lost {} record(s) (\"{}\"): busy time and energy of what ran "
                     "then are missing",
                     loss.count, loss.key));
  }
  warn("trace.outside-window", facts_.assembly.outside_window,
       fmt::format("{} GPU event(s) lie outside the profiler's own window; they are counted",
                   facts_.assembly.outside_window));
  const OriginCounts& origins = facts_.assembly.origins;
  const std::uint64_t lost = origins.launch_calls_without_kernel;
  warn("trace.launches-without-kernel", lost,
       fmt::format("{} launches, {} kernels: {} launches have no kernel record, so {} of the work is unattributed (the "
                   "first: {})",
                   origins.launch_calls, kernels(), lost, percent(lost, origins.launch_calls),
                   origins.first_without_kernel));
  const bool mostly_lost = lost > 100 && lost * 10 > origins.launch_calls * 9;
  if (facts_.counts.capture_calls > 0 && lost > kernels()) {
    warn("trace.graph-capture", facts_.counts.capture_calls,
         fmt::format("This trace shows a CUDA/HIP graph being recorded, not run: {} launches, {} kernels. Profile the "
                     "iterations after the capture",
                     origins.launch_calls, kernels()));
  } else if (mostly_lost) {
    warn("trace.graph-capture", lost,
         fmt::format("{} launches but {} kernels: either a CUDA/HIP graph was being recorded, or the profiler lost the "
                     "kernels",
                     origins.launch_calls, kernels()));
  }
}

void Notes::origins() {
  const OriginCounts& origins = facts_.assembly.origins;
  const std::uint64_t without = origins.kernels_without_call;
  const std::uint64_t found = origins.found_by_external_id;
  if (without > 0 && origins.launch_calls == 0 && found == 0) {
    info("trace.no-launch-events", without,
         "The trace has no launch events of the host: operators, layers and iterations of the kernels are not known");
  } else if (without > 0) {
    const std::string text = fmt::format(
        "{} of {} kernels have no launch event; they count. For {} of them the external id tells the "
        "operator, for the others it is not known",
        without, kernels(), found);
    quality_.add("trace.kernels-without-launch", found < without ? Severity::warning : Severity::info, text, without);
  }
  info("trace.graph-launches", origins.graph_kernels,
       fmt::format("{} kernels ran inside {} launch(es) of CUDA/HIP graphs; the trace does not say which operator each "
                   "one comes from",
                   origins.graph_kernels, origins.graph_launches));
  info("trace.kernel-before-launch", origins.before_call,
       fmt::format("{} GPU event(s) start before the call that launched them (clock skew between GPU and host); they "
                   "are joined by correlation id all the same",
                   origins.before_call));
  info("trace.deep-ranges", facts_.assembly.ranges_left_out,
       "Ranges are nested more than 200 deep; the innermost ones were left out");
}

void Notes::times() {
  switch (facts_.assembly.time_base) {
    case TimeBase::relative:
      info("trace.relative-time", 1,
           "The trace has no absolute time (no baseTimeNanoseconds): a power log can be laid beside it only with "
           "--time-offset");
      break;
    case TimeBase::base_ignored:
      warn("trace.base-time-ignored", 1,
           "The events' times are since the epoch already, so baseTimeNanoseconds was not added");
      break;
    case TimeBase::base_added:
    case TimeBase::epoch:
      break;
  }
  info("trace.out-of-order", facts_.assembly.out_of_order,
       fmt::format("{} GPU event(s) were not in the order of time and were sorted", facts_.assembly.out_of_order));
  const auto zero = std::count_if(trace_.launches.begin(), trace_.launches.end(),
                                  [](const run::Launch& launch) { return launch.duration_ns == 0; });
  info("trace.zero-durations", static_cast<std::uint64_t>(zero),
       fmt::format("{} GPU event(s) have duration 0 (times rounded to whole microseconds); they count as launches "
                   "without time",
                   zero));
}

void Notes::devices() {
  info("trace.without-device", facts_.counts.without_device,
       fmt::format("{} GPU event(s) do not say on which device they ran; their process number was taken for it",
                   facts_.counts.without_device));
  info("trace.without-name", facts_.counts.without_name, "GPU events without a name are called \"(no name)\"");
  if (trace_.rank && trace_.gpus.size() == 1 && trace_.gpus.front().index &&
      *trace_.gpus.front().index != *trace_.rank) {
    info("trace.device-is-not-rank", 1,
         fmt::format("Rank {} ran on device {}: never choose a power log by the rank", *trace_.rank,
                     *trace_.gpus.front().index));
  }
}

std::string Notes::contents() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> categories;
  for (const auto& [name, count] : facts_.counts.by_category) categories.emplace_back(count, name);
  std::sort(categories.rbegin(), categories.rend());
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, categories.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", categories[i].first,
                        categories[i].second.empty() ? "without category" : categories[i].second);
  }
  if (categories.size() > most) text += ", …";
  return text.empty() ? "no complete events at all" : text;
}

/// Categories by which recordings without GPU kernels are known, in small letters.
struct OtherRecording {
  std::string_view category;
  std::string_view what;
};
constexpr std::array other_recordings{
    OtherRecording{
        "cuda_profiler_range",
        "It is a recording of CUPTI's range profiler (counters), which runs kernels one by one; profile again "
        "without it"},
    OtherRecording{"mtia", "It was made on MTIA accelerators, whose events are not read"},
    OtherRecording{"hpu_op", "It was made on Habana Gaudi (HPU), whose events are not read"},
    OtherRecording{"xpu_", "It was made on Intel GPUs (XPU) and has their calls, but none of their kernels"},
    OtherRecording{"npu", "It was made on Ascend NPUs, whose events are not read"},
    OtherRecording{"gcu_", "It was made on Enflame GCUs, whose events are not read"},
    OtherRecording{"glow_", "It was made on Glow accelerators, whose events are not read"},
    OtherRecording{"privateuse1", "It was made on an accelerator of another vendor (PrivateUse1), without its kernels"},
    OtherRecording{"mps", "It was made on Apple's MPS, whose kernels are not recorded"}};

std::string Notes::instead_of_kernels() const {
  for (const OtherRecording& other : other_recordings) {
    for (const auto& [name, count] : facts_.counts.by_category) {
      std::string category(name);
      for (char& c : category) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (category.find(other.category) != std::string::npos) return std::string(other.what);
    }
  }
  const EventCounts& counts = facts_.counts;
  const std::uint64_t aside =
      counts.lost_timestamps.count + counts.negative_durations.count + counts.unreadable_times.count;
  if (aside > 0) return "All its kernels were set aside because of their times";
  if (counts.capture_calls > 0) return "A CUDA/HIP graph was being recorded, not run";
  if (facts_.assembly.origins.launch_calls > 0) {
    return "It has launches, so the profiler lost the kernels (another profiler attached, or all out of its range)";
  }
  return "It shows the CPU only: profile with ProfilerActivity.CUDA, and check that no other profiler is attached";
}

void Notes::missing_kernels() {
  if (kernels() > 0) return;
  quality_.add("trace.no-kernels", Severity::error,
               fmt::format("The trace has no GPU kernels. {}. It holds {}", instead_of_kernels(), contents()));
}

}  // namespace

std::string describe(const Place& place) { return fmt::format("line {}, byte {}", place.line, place.offset); }

void note_quality(const ReadingFacts& facts, run::Trace& trace) { Notes(facts, trace).write(); }

}  // namespace kernwatt::readers::kineto
