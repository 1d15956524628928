// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/run/run_dump.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace kernwatt::run {
namespace {

class Dump {
 public:
  template <class... T>
  void line(const T&... values) {
    (put(values), ...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { text_ += fmt::format("{}|", value); }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) { put(static_cast<int>(value)); }
  void put(const std::string& value) { text_ += fmt::format("\"{}\":{}|", value, value.size()); }
  void put(std::string_view value) { put(std::string(value)); }
  void put(const char* value) { put(std::string(value)); }
  template <class T>
  void put(const std::optional<T>& value) {
    value ? put(*value) : void(text_ += "none|");
  }
  template <class T>
  void put(const std::vector<T>& values) {
    text_ += "[";
    for (const T& value : values) put(value);
    text_ += "]";
  }
  void put(const Dim3& value) { text_ += fmt::format("{},{},{}|", value[0], value[1], value[2]); }
  void put(const Interval& value) { text_ += fmt::format("{}..{}|", value.low, value.high); }
  std::string text_;
};

void dump(Dump& out, const GpuIdentity& gpu) {
  out.line("gpu", gpu.index, gpu.uuid, gpu.pci_bus_id, gpu.name, gpu.host, gpu.sm_count);
}

void dump(Dump& out, const QualityLedger& quality) {
  for (const QualityEntry& e : quality.entries()) out.line("quality", e.id, e.severity, e.count, e.message);
}

void dump(Dump& out, const PowerLog& log) {
  out.line("log", log.file, log.format, log.basis);
  dump(out, log.quality);
  for (const GpuPower& gpu : log.gpus) {
    dump(out, gpu.gpu);
    out.line(gpu.power_limit_w, gpu.rows, gpu.missing_power);
    out.line(gpu.energy_mj.time_ns, gpu.energy_mj.value);
    for (const auto* series : {&gpu.power_instant_w, &gpu.power_average_w, &gpu.power_draw_w, &gpu.power_samples_w,
                               &gpu.sm_mhz, &gpu.mem_mhz, &gpu.temperature_c})
      out.line(series->time_ns, series->value);
    out.line(gpu.event_reasons.time_ns, gpu.event_reasons.value);
    for (const TokenCount& held : gpu.missing_tokens) out.line("missing", held.token, held.count);
  }
  for (const RecordedTotal& total : log.totals) {
    out.line("total", total.name, total.gpu_count, total.start_ns, total.duration_s, total.energy_j, total.power_w);
    dump(out, total.gpu);
  }
  for (const SupportedClocks& clocks : log.supported_clocks) {
    out.line("clocks");
    dump(out, clocks.gpu);
    for (const auto& under : clocks.memory) out.line(under.memory_mhz, under.core_mhz);
  }
}

void dump(Dump& out, const EnergyAccount& a) {
  out.line("account", a.gpu, a.source, a.start_ns, a.end_ns, a.total_j, a.attributed_j, a.idle_j, a.unattributed_j,
           a.lag_ms, a.delay_ms, a.execution_idle_w, a.execution_idle_ci95_w, a.reference_mhz);
}

void dump(Dump& out, const Attribution& a) {
  for (const TraceSummary& t : a.traces)
    out.line("trace", t.file, t.format, t.rank, t.gpus, t.kernels, t.distinct_names, t.busy_sum_ns, t.busy_union_ns,
             t.memcpy_count, t.memset_count, t.comm_ns, t.comm_overlapped_ns, t.comm_waiting_ns, t.start_ns, t.end_ns);
  for (const PowerSummary& p : a.power)
    out.line("power", p.file, p.format, p.gpu, p.samples, p.missing, p.start_ns, p.end_ns, p.energy_j,
             p.energy_counter_j, p.max_gap_s);
  dump(out, a.total);
  for (const EnergyAccount& gpu : a.gpus) dump(out, gpu);
  const IterationSummary& i = a.iterations;
  out.line("iterations", i.count, i.found_by, i.period_s, i.energy_j, i.energy_ci95_j, i.tokens_per_joule);
  for (const Row& r : a.rows)
    out.line("row", r.id, r.parent, r.view, r.gpu, r.rank, r.name, r.detail, r.launches, r.time_s, r.energy_j,
             r.energy_ci95_j, r.power_w, r.power_ci95_w, r.power_at_reference_w, r.power_at_reference_ci95_w,
             r.share_of_total, r.flops, r.j_per_flop, r.flags);
  for (const TiedGroup& t : a.tied) out.line("tied", t.id, t.rows, t.energy_j, t.energy_ci95_j);
  for (const Explanation& e : a.explanations) out.line("explanation", e.row, e.time_share_energy_j, e.how);
  for (const Cell& c : a.breakdown.cells)
    out.line("cell", c.class_row, c.operator_row, c.layer_row, c.phase_row, c.launches, c.time_s, c.energy_j,
             c.measured_s, c.flops);
  for (const RowSpan& s : a.breakdown.spans) out.line("span", s.row, s.start_ns, s.end_ns);
}

void dump(Dump& out, const Trace& t) {
  out.line("trace", t.file, t.format, t.rank, t.world_size, t.time_is_absolute);
  dump(out, t.quality);
  for (NameId id = 0; id < t.names.size(); ++id) out.line("name", t.names.at(id));
  for (const GpuIdentity& gpu : t.gpus) dump(out, gpu);
  for (const Stream& s : t.streams) out.line("stream", s.gpu, s.name);
  for (const KernelClass& k : t.classes)
    out.line("class", k.name, k.kind, k.grid, k.block, k.registers_per_thread, k.shared_memory_bytes);
  for (const Site& s : t.sites)
    out.line("site", s.op, s.outer_op, s.shapes, s.types, s.ranges, s.on_backward_thread, s.graph);
  for (const OperatorCall& c : t.calls) out.line("call", c.site, c.sequence);
  for (const Launch& l : t.launches)
    out.line("launch", l.start_ns, l.duration_ns, l.kernel_class, l.stream, l.call, l.iteration);
  for (const HostRange& r : t.iteration_marks) out.line("mark", r.name, r.start_ns, r.end_ns);
  for (const HostRange& r : t.host_ranges) out.line("range", r.name, r.start_ns, r.end_ns);
}

}  // namespace

std::string dump(const Run& run) {
  Dump out;
  out.line(run.tool_version, run.command_line, run.created_ns);
  for (const GpuIdentity& gpu : run.devices) dump(out, gpu);
  for (const PowerLog& log : run.power) dump(out, log);
  for (const ClassFacts& c : run.classes)
    out.line("facts", c.name, c.kind, c.grid, c.block, c.registers_per_thread, c.shared_memory_bytes, c.category,
             c.flops_per_launch, c.attribution_row);
  out.line(run.iteration.period_ns, run.iteration.observed, run.iteration.layers, run.iteration.phases);
  for (const CanonicalLaunch& l : run.iteration.launches)
    out.line("canonical", l.class_index, l.stream, l.layer, l.phase, l.start_ns, l.duration_ns);
  for (const Observation& o : run.observations)
    out.line("observation", o.class_index, o.configuration.core_mhz, o.configuration.memory_mhz,
             o.configuration.power_limit_w, o.count, o.time_mean_s, o.time_variance_s2, o.power_mean_w,
             o.power_variance_w2);
  out.line(run.covariance.class_index, run.covariance.w2);
  for (const Trace& trace : run.traces) dump(out, trace);
  dump(out, run.attribution);
  dump(out, run.quality);
  return out.take();
}

}  // namespace kernwatt::run
