// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/nsys_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers::nsys {
namespace {

using namespace std::string_view_literals;

/// The profiler's own messages: how bad they are, and whether they are about CUDA.
struct Message {
  std::int64_t severity = 0;
  std::string text;
};
constexpr std::int64_t warning_level = 2;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
constexpr std::int64_t error_level = 3;

std::vector<Message> read_messages(NsysDatabase& database) {
  constexpr std::array columns{"severity"sv, "text"sv};
  TableScan scan(database, database.find("DIAGNOSTIC_EVENT"), columns);
  std::vector<Message> messages;
  constexpr std::size_t most = 5;
  constexpr std::size_t longest = 300;
  while (messages.size() < most && scan.next()) {
    const std::int64_t severity = scan.integer(0).value_or(0);
    if (severity != warning_level && severity != error_level) continue;
    const std::string text = visible_text(scan.text(1).value_or("").substr(0, longest));
    const bool of_use = text.find("CUDA") != std::string::npos || text.find("GPU") != std::string::npos ||
                        text.find("CUPTI") != std::string::npos;
    const auto same = [&](const Message& message) { return message.text == text; };
    if (of_use && std::none_of(messages.begin(), messages.end(), same)) messages.push_back({severity, text});
  }
  return messages;
}

class Notes {
 public:
  Notes(const NsysFacts& facts, run::Trace& trace)
      : facts_(facts), trace_(trace), messages_(read_messages(facts.database)) {}

  void write() {
    damage();
    set_aside();
    origins();
    graphs();
    ranges();
    times();
    gpus();
    messages();
    missing_kernels();
  }

 private:
  void info(std::string_view id, std::uint64_t count, std::string text) {
    if (count > 0) trace_.quality.add(id, Severity::info, std::move(text), count);
  }
  void warn(std::string_view id, std::uint64_t count, std::string text) {
    if (count > 0) trace_.quality.add(id, Severity::warning, std::move(text), count);
  }
  std::uint64_t kernels() const { return facts_.assembly.origins.kernels; }
  void damage();
  void set_aside();
  void origins();
  void graphs();
  void ranges();
  void times();
  void gpus();
  void messages();
  void missing_kernels();
  std::string instead_of_kernels() const;
  std::string contents() const;

  const NsysFacts& facts_;
  run::Trace& trace_;
  std::vector<Message> messages_;
};

void Notes::damage() {
  for (const Damage& damage : facts_.database.damage()) {
    warn("trace.damaged", 1,
         fmt::format("The table {} is damaged ({}): the {} rows before were read, the rest is lost", damage.table,
                     visible_text(damage.reason), damage.rows_before));
  }
  info("trace.repaired-encoding", facts_.events.repaired_names(),
       "Names have bytes that are not UTF-8 or control characters; they are shown as \\xff and the like, so that names "
       "stay distinct");
}

void Notes::set_aside() {
  const assembly::EventCounts& counts = facts_.counts;
  warn("trace.lost-timestamps", counts.lost_timestamps.count,
       fmt::format("{} GPU event(s) begin and end at 0: the profiler lost their times. They are set aside (the first: "
                   "{})",
                   counts.lost_timestamps.count, counts.lost_timestamps.first));
  warn("trace.negative-durations", counts.negative_durations.count,
       fmt::format("{} GPU event(s) end before they start: the profiler lost their end. They are set aside and not "
                   "counted as busy time (the first: {})",
                   counts.negative_durations.count, counts.negative_durations.first));
  warn("trace.unreadable-times", counts.unreadable_times.count,
       fmt::format("{} GPU event(s) have no readable start or end and are set aside (the first: {})",
                   counts.unreadable_times.count, counts.unreadable_times.first));
  warn("trace.unreadable-host-times", counts.unreadable_host_times,
       fmt::format("{} calls or ranges of the host have no readable time and were left out",
                   counts.unreadable_host_times));
  warn("trace.duplicates", facts_.assembly.duplicates,
       fmt::format("{} GPU event(s) are exact copies of another and were removed", facts_.assembly.duplicates));
  info("trace.without-name", counts.without_name, "Kernels without a name are called \"(no name)\"");
  info("trace.without-device", counts.without_device,
       fmt::format("{} GPU event(s) do not say on which device they ran", counts.without_device));
}

void Notes::origins() {
  const assembly::OriginCounts& origins = facts_.assembly.origins;
  const std::uint64_t without = origins.kernels_without_call;
  if (without > 0 && origins.launch_calls == 0) {
    info("trace.no-launch-events", without,
         "The file has no CUDA calls of the host: ranges and iterations of the kernels are not known");
  } else if (without > 0) {
    warn(
        "trace.kernels-without-launch", without,
        fmt::format("{} of {} kernels have no CUDA call that launched them; they count, but their ranges are not known",
                    without, kernels()));
  }
  const std::uint64_t lost = origins.launch_calls_without_kernel;
  warn("trace.launches-without-kernel", lost,
       fmt::format("{} launches, {} kernels: {} launches have no kernel record, so that share of the work is "
                   "unattributed (the first: {})",
                   origins.launch_calls, kernels(), lost, origins.first_without_kernel));
  if (facts_.counts.capture_calls > 0 && lost > kernels()) {
    warn("trace.graph-capture", facts_.counts.capture_calls,
         fmt::format("This trace shows a CUDA graph being recorded, not run: {} launches, {} kernels. Profile the "
                     "iterations after the capture",
                     origins.launch_calls, kernels()));
  }
  info("trace.kernel-before-launch", origins.before_call,
       fmt::format("{} GPU event(s) start before the call that launched them (clock skew between GPU and host); they "
                   "are joined by correlation id all the same",
                   origins.before_call));
  warn("trace.process-unknown", facts_.completion.events_of_nobody,
       fmt::format("{} GPU event(s) do not say of which of the {} processes they are, so that their launches are not "
                   "known",
                   facts_.completion.events_of_nobody, facts_.completion.processes));
}

void Notes::graphs() {
  const assembly::OriginCounts& origins = facts_.assembly.origins;
  const EventFacts& events = facts_.events.facts();
  warn("trace.graph-records", events.graph_records,
       fmt::format("{} launch(es) of CUDA graphs were recorded as a whole, without their kernels: each counts as one "
                   "launch of a class \"CUDA graph N\". Record with --cuda-graph-trace=node to see the kernels",
                   events.graph_records));
  info("trace.graph-records-doubled", events.graph_records_doubled,
       fmt::format("{} record(s) of whole graphs were left out, since their kernels are in the file as well",
                   events.graph_records_doubled));
  if (origins.graph_kernels > events.graph_records) {
    info("trace.graph-launches", origins.graph_kernels - events.graph_records,
         fmt::format("{} kernels ran inside {} launch(es) of CUDA graphs; the trace does not say which range each one "
                     "comes from",
                     origins.graph_kernels - events.graph_records, origins.graph_launches));
  }
}

void Notes::ranges() {
  const EventFacts& events = facts_.events.facts();
  info("trace.open-ranges", events.open_ranges,
       fmt::format("{} NVTX range(s) were not closed; they were taken to last until the end of the recording",
                   events.open_ranges));
  info("trace.ranges-across-threads", events.ranges_across_threads,
       fmt::format("{} NVTX range(s) began on one thread and ended on another; they hold for all threads of their "
                   "process",
                   events.ranges_across_threads));
  info("trace.ranges-without-text", events.ranges_without_text, "NVTX ranges without a text were left out");
  info("trace.deep-ranges", facts_.assembly.ranges_left_out,
       "Ranges are nested more than 200 deep, or in too many ways; the innermost ones were left out");
  info("trace.iteration-marks", facts_.completion.marks_left_out,
       fmt::format("{} iteration mark(s) of other threads were left out: those of one thread count the iterations",
                   facts_.completion.marks_left_out));
}

void Notes::times() {
  if (facts_.time.how.empty()) {
    info("trace.relative-time", 1,
         "The file does not say when the session started: a power log can be laid beside it only with --time-offset");
  } else {
    trace_.quality.add("trace.time-base", facts_.time.severity, facts_.time.how);
  }
  info("trace.out-of-order", facts_.assembly.out_of_order,
       fmt::format("{} GPU event(s) were not in the order of time and were sorted", facts_.assembly.out_of_order));
  const auto zero = std::count_if(trace_.launches.begin(), trace_.launches.end(),
                                  [](const run::Launch& launch) { return launch.duration_ns == 0; });
  info("trace.zero-durations", static_cast<std::uint64_t>(zero),
       fmt::format("{} GPU event(s) have duration 0; they count as launches without time", zero));
}

void Notes::gpus() {
  const CompletionFacts& facts = facts_.completion;
  info("trace.gpu-by-number", facts.gpus_by_number,
       "Which GPU a device number means was told by the number alone: the file has no table of it "
       "(TARGET_INFO_CUDA_DEVICE)");
  info(
      "trace.gpu-unknown", facts.gpus_unknown,
      fmt::format("{} device(s) are known by their number only: the file does not describe the GPUs (TARGET_INFO_GPU). "
                  "Beside a power log of several GPUs, say which is which with --map",
                  facts.gpus_unknown));
  warn("trace.gpu-shared-number", facts.shared_numbers,
       "Several processes use the same device number, and the file does not say whether it is the same GPU: it was "
       "taken to be. Record each process to its own file if it is not");
}

void Notes::messages() {
  for (const Message& message : messages_) {
    const bool bad = message.severity == error_level;
    trace_.quality.add("trace.profiler-says", bad ? Severity::warning : Severity::info,
                       fmt::format("Nsight Systems says: {}", message.text));
  }
}

std::string Notes::contents() const {
  std::string text;
  for (const auto& [table, what] :
       {std::pair("CUPTI_ACTIVITY_KIND_RUNTIME"sv, "CUDA calls"sv),
        std::pair("CUPTI_ACTIVITY_KIND_MEMCPY"sv, "copies"sv), std::pair("NVTX_EVENTS"sv, "NVTX events"sv),
        std::pair("GPU_METRICS"sv, "GPU metrics"sv), std::pair("OSRT_API"sv, "calls of the operating system"sv),
        std::pair("COMPOSITE_EVENTS"sv, "CPU samples"sv)}) {
    const Table* found = facts_.database.find(table);
    const auto rows = found == nullptr ? std::nullopt : facts_.database.count_rows(*found);
    if (rows && *rows > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *rows, what);
  }
  return text.empty() ? "no events that we read" : text;
}

std::string Notes::instead_of_kernels() const {
  const assembly::EventCounts& counts = facts_.counts;
  if (counts.lost_timestamps.count + counts.negative_durations.count + counts.unreadable_times.count > 0) {
    return "All its kernels were set aside because of their times";
  }
  if (counts.capture_calls > 0) return "A CUDA graph was being recorded, not run";
  if (facts_.assembly.origins.launch_calls > 0) {
    return "It has launches, so the profiler lost the kernels: the program must end by itself, or its buffers be "
           "flushed "
           "(--cuda-flush-interval)";
  }
  if (facts_.database.find("CUPTI_ACTIVITY_KIND_RUNTIME") != nullptr) {
    return "The program made CUDA calls but launched nothing while it was recorded";
  }
  return "CUDA was not recorded: profile with --trace=cuda,nvtx";
}

void Notes::missing_kernels() {
  if (kernels() > 0) return;
  std::string text = fmt::format("The trace has no GPU kernels. {}. It holds {}", instead_of_kernels(), contents());
  if (facts_.database.find("CUPTI_ACTIVITY_KIND_KERNEL") == nullptr) text += ", and no table of kernels";
  trace_.quality.add("trace.no-kernels", Severity::error, text);
}

}  // namespace

void note_quality(const NsysFacts& facts, run::Trace& trace) { Notes(facts, trace).write(); }

}  // namespace kernwatt::readers::nsys
