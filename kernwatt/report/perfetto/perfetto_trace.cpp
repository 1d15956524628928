// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/perfetto/perfetto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernwatt/report/perfetto/counter_tracks.hpp"
#include "kernwatt/report/perfetto/gpu_processes.hpp"
#include "kernwatt/report/perfetto/launch_tracks.hpp"
#include "kernwatt/report/perfetto/trace_event_writer.hpp"

namespace kernwatt::report {
namespace {

constexpr std::uint32_t program = 0;

/// The earliest time of anything that is shown: all others are then small and not negative.
std::int64_t base_of(const run::Run& run, const run::PowerReport* power) {
  std::int64_t base = std::numeric_limits<std::int64_t>::max();
  const auto take = [&](std::int64_t ns) { base = std::min(base, ns); };
  for (const run::Trace& trace : run.traces) {
    for (const auto* ranges : {&trace.iteration_marks, &trace.host_ranges})
      for (const run::HostRange& range : *ranges) take(range.start_ns);
    if (!trace.launches.empty()) take(trace.launches.front().start_ns);
  }
  for (const run::RowSpan& span : run.attribution.breakdown.spans) take(span.start_ns);
  for (const run::PowerLog& log : run.power)
    for (const run::GpuPower& gpu : log.gpus) earliest_reading(gpu, take);
  if (power != nullptr)
    for (const run::PowerPhase& phase : power->phases) take(phase.start_ns);
  if (base != std::numeric_limits<std::int64_t>::max()) return base;
  return run.attribution.total.start_ns.value_or(0);
}

std::string document_members(const run::Run& run, const GpuProcesses& gpus, std::int64_t base_ns) {
  std::string text = "\"displayTimeUnit\": \"ns\",\n";
  fmt::format_to(std::back_inserter(text), "\"baseTimeNanoseconds\": {},\n", base_ns);
  text += "\"deviceProperties\": [";
  bool first = true;
  for (const GpuProcesses::Process& process : gpus.all()) {
    fmt::format_to(std::back_inserter(text), R"({}{{"id": {}, "name": {})", first ? "" : ", ",
                   gpus.device_of(process.id), json_string(process.gpu.name));
    if (process.gpu.sm_count) fmt::format_to(std::back_inserter(text), ", \"numSms\": {}", *process.gpu.sm_count);
    text += '}';
    first = false;
  }
  text += "],\n\"otherData\": {\"producer\": \"kernwatt\", \"version\": " + json_string(run.tool_version);
  text += ", \"command\": " + json_string(run.command_line);
  text += ", \"launch_energy\": \"power of the launch's class times its duration\"";
  if (run.traces.empty() && !run.iteration.launches.empty())
    text += ", \"launches\": \"one canonical iteration at median times; the recording's launches were not kept\"";
  return text + "},\n";
}

void name_processes(const GpuProcesses& gpus, TraceEventWriter& out) {
  out.name_of("process_name", program, 0, "program");
  out.sort_index("process_sort_index", program, 0, -1);
  for (const GpuProcesses::Process& process : gpus.all()) {
    out.name_of("process_name", process.id, 0, process_name(process.gpu));
    out.sort_index("process_sort_index", process.id, 0, process.id);
  }
}

/// Ranges of host time may overlap in any way, so each is an event pair of its own and no slice of a thread.
class AsyncEvents {
 public:
  explicit AsyncEvents(TraceEventWriter& out) : out_(out) {}
  void add(std::string_view category, std::string_view name, std::uint32_t process, std::int64_t start_ns,
           std::int64_t end_ns, const run::PowerEnergy* energy = nullptr) {
    ++id_;
    out_.begin_event('b', name, process, 0);
    out_.category(category);
    out_.id(id_);
    out_.start(start_ns);
    if (energy != nullptr && energy->energy_j) out_.arg("energy_j", *energy->energy_j);
    if (energy != nullptr && energy->mean_w) out_.arg("power_w", *energy->mean_w);
    out_.end_event();
    out_.begin_event('e', name, process, 0);
    out_.category(category);
    out_.id(id_);
    out_.start(std::max(start_ns, end_ns));
    out_.end_event();
  }

 private:
  TraceEventWriter& out_;
  std::uint64_t id_ = 0;
};

void write_host_ranges(const run::Run& run, AsyncEvents& async) {
  for (const run::Trace& trace : run.traces) {
    const auto name = [&](run::NameId id) {
      return id < trace.names.size() ? trace.names.at(id) : std::string_view("?");
    };
    for (const run::HostRange& mark : trace.iteration_marks)
      async.add("iteration mark", name(mark.name), program, mark.start_ns, mark.end_ns);
    for (const run::HostRange& range : trace.host_ranges)
      async.add("range", name(range.name), program, range.start_ns, range.end_ns);
  }
}

/// When phases and iterations ran on the GPUs.
void write_spans(const run::Attribution& result, AsyncEvents& async) {
  std::vector<const run::Row*> by_id;
  for (const run::Row& row : result.rows) {
    if (row.id >= by_id.size() && row.id < 10'000'000) by_id.resize(row.id + std::size_t{1}, nullptr);
    if (row.id < by_id.size()) by_id[row.id] = &row;
  }
  for (const run::RowSpan& span : result.breakdown.spans) {
    const run::Row* row = span.row < by_id.size() ? by_id[span.row] : nullptr;
    if (row == nullptr) continue;
    async.add(row->view == run::View::iteration ? "iteration" : "phase", row->name, program, span.start_ns,
              span.end_ns);
  }
}

void write_power_phases(const run::Run& run, const run::PowerReport& report, const GpuProcesses& gpus,
                        AsyncEvents& async) {
  for (const run::PowerPhase& phase : report.phases) {
    std::uint32_t process = program;
    const run::PowerGpu& gpu = report.gpus[phase.gpu];
    for (std::size_t log = 0; log < run.power.size(); ++log)
      for (std::size_t i = 0; i < run.power[log].gpus.size(); ++i) {
        const run::GpuIdentity& known = run.power[log].gpus[i].gpu;
        if (known.uuid == gpu.gpu.uuid && known.index == gpu.gpu.index && known.host == gpu.gpu.host)
          process = gpus.of_log(log, i);
      }
    async.add("power phase", phase.name, process, phase.start_ns, phase.end_ns, &phase.energy);
  }
}

}  // namespace

Status write_perfetto(const run::Run& run, const run::PowerReport* power,
                      const std::function<Status(std::string_view)>& sink) {
  const GpuProcesses gpus(run);
  const std::int64_t base_ns = base_of(run, power);
  TraceEventWriter out(sink, base_ns);
  out.begin_document(document_members(run, gpus, base_ns));
  name_processes(gpus, out);
  AsyncEvents async(out);
  write_host_ranges(run, async);
  write_spans(run.attribution, async);
  if (power != nullptr) write_power_phases(run, *power, gpus, async);
  write_launches(run, gpus, out);
  KERNWATT_CHECK(out.status());
  if (run.traces.empty()) write_iteration(run, gpus, run.attribution.total.start_ns.value_or(base_ns), out);
  write_counters(run, gpus, out);
  return out.end_document();
}

}  // namespace kernwatt::report
