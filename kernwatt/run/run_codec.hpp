// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "kernwatt/run/run.hpp"

/// One description of each struct's columns, used for writing and for reading, so that the two cannot differ.
/// The structured bindings make a new field an error here until it is given its column. Private to this folder.
namespace kernwatt::run {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

inline constexpr std::array launch_kind_names{EnumName<LaunchKind>{LaunchKind::kernel, "kernel"},
                                              EnumName<LaunchKind>{LaunchKind::memcpy, "memcpy"},
                                              EnumName<LaunchKind>{LaunchKind::memset, "memset"}};
inline constexpr std::array time_basis_names{EnumName<TimeBasis>{TimeBasis::absolute, "absolute"},
                                             EnumName<TimeBasis>{TimeBasis::local_unknown, "local, zone unknown"},
                                             EnumName<TimeBasis>{TimeBasis::unknown_zero, "unknown zero"}};
inline constexpr std::array severity_names{EnumName<Severity>{Severity::info, "info"},
                                           EnumName<Severity>{Severity::warning, "warning"},
                                           EnumName<Severity>{Severity::error, "error"}};
inline constexpr std::array view_names{
    EnumName<View>{View::kernel_class, "class"}, EnumName<View>{View::operator_, "operator"},
    EnumName<View>{View::layer, "layer"},        EnumName<View>{View::phase, "phase"},
    EnumName<View>{View::category, "category"},  EnumName<View>{View::iteration, "iteration"}};

constexpr const auto& names_of(LaunchKind) { return launch_kind_names; }
constexpr const auto& names_of(TimeBasis) { return time_basis_names; }
constexpr const auto& names_of(Severity) { return severity_names; }
constexpr const auto& names_of(View) { return view_names; }

template <class A, Is<GpuIdentity> T>
void fields(A& archive, T& identity) {
  auto& [index, uuid, pci_bus_id, name, host, sm_count] = identity;
  archive(index, uuid, pci_bus_id, name, sm_count);
  archive.since(2, host);
}

template <class A, Is<PowerLog> T>
void fields(A& archive, T& log) {
  [[maybe_unused]] auto& [file, format, basis, gpus, totals, supported_clocks, quality] = log;
  archive(file, format, basis);
}

template <class A, Is<GpuPower> T>
void fields(A& archive, T& power) {
  [[maybe_unused]] auto& [gpu, energy, instant, average, draw, samples, sm, mem, temperature, reasons, limit, rows,
                          missing, missing_tokens] = power;
  fields(archive, gpu);
  archive(limit, rows, missing);
}

template <class A, Is<TokenCount> T>
void fields(A& archive, T& held) {
  auto& [token, count] = held;
  archive(token, count);
}

template <class A, Is<RecordedTotal> T>
void fields(A& archive, T& total) {
  auto& [name, gpu, gpu_count, start, duration, energy, power] = total;
  archive(name);
  fields(archive, gpu);
  archive(gpu_count, start, duration, energy, power);
}

template <class A, Is<SupportedClocks> T>
void fields(A& archive, T& clocks) {
  [[maybe_unused]] auto& [gpu, memory] = clocks;
  fields(archive, gpu);
}

template <class A, Is<SupportedClocks::UnderMemoryClock> T>
void fields(A& archive, T& clocks) {
  [[maybe_unused]] auto& [memory, core] = clocks;
  archive(memory);
}

template <class A, Is<ClassFacts> T>
void fields(A& archive, T& facts) {
  auto& [name, kind, grid, block, registers, shared_memory, category, flops, row] = facts;
  archive(name, kind, grid, block, registers, shared_memory, category, flops);
  archive.index(row);
}

template <class A, Is<Observation> T>
void fields(A& archive, T& observation) {
  auto& [class_index, configuration, count, time_mean, time_variance, power_mean, power_variance] = observation;
  auto& [core, memory, limit] = configuration;
  archive.index(class_index);
  archive(core, memory, limit, count, time_mean, time_variance, power_mean, power_variance);
}

template <class A, Is<TraceSummary> T>
void fields(A& archive, T& summary) {
  [[maybe_unused]] auto& [file, format, rank, gpus, kernels, distinct, busy_sum, busy_union, memcpys, memsets, comm,
                          comm_overlapped, start, end, comm_waiting] = summary;
  archive(file, format, rank, kernels, distinct, busy_sum, busy_union, memcpys, memsets, comm, comm_overlapped, start,
          end);
  archive.since(2, comm_waiting);
}

template <class A, Is<PowerSummary> T>
void fields(A& archive, T& summary) {
  auto& [file, format, gpu, samples, missing, start, end, energy, energy_counter, max_gap] = summary;
  archive(file, format, gpu, samples, missing, start, end, energy, energy_counter, max_gap);
}

template <class A, Is<EnergyAccount> T>
void fields(A& archive, T& account) {
  auto& [gpu, source, start, end, total, attributed, idle, unattributed, lag, delay, idle_w, idle_ci95, reference] =
      account;
  archive(gpu, source, start, end, total, attributed, idle, unattributed, lag, delay, idle_w, idle_ci95, reference);
}

template <class A, Is<IterationSummary> T>
void fields(A& archive, T& summary) {
  auto& [count, found_by, period, energy, energy_ci95, tokens_per_joule] = summary;
  archive(count, found_by, period, energy, energy_ci95, tokens_per_joule);
}

template <class A, Is<Row> T>
void fields(A& archive, T& row) {
  auto& [id, parent, view, gpu, rank, name, detail, launches, time, energy, energy_ci95, power, power_ci95,
         at_reference_ci95, at_reference, share, flops, j_per_flop, flags] = row;
  archive(id, parent, view, gpu, rank, name, detail, launches, time, energy, energy_ci95, power, power_ci95,
          at_reference, at_reference_ci95, share, flops, j_per_flop, flags);
}

template <class A, Is<TiedGroup> T>
void fields(A& archive, T& group) {
  [[maybe_unused]] auto& [id, rows, energy, energy_ci95] = group;
  archive(id, energy, energy_ci95);
}

template <class A, Is<Explanation> T>
void fields(A& archive, T& explanation) {
  auto& [row, time_share_energy, how] = explanation;
  archive(row, time_share_energy, how);
}

template <class A, Is<QualityEntry> T>
void fields(A& archive, T& entry) {
  auto& [id, severity, count, message] = entry;
  archive(id, severity, count, message);
}

template <class A, Is<Trace> T>
void fields(A& archive, T& trace) {
  [[maybe_unused]] auto& [file, format, rank, world_size, absolute, names, gpus, streams, classes, sites, calls,
                          launches, marks, ranges, quality] = trace;
  archive(file, format, rank, world_size, absolute);
}

template <class A, Is<Stream> T>
void fields(A& archive, T& stream) {
  auto& [gpu, name, process_group] = stream;
  archive(gpu);
  archive.index(name);
  archive.index_since(2, process_group);
}

template <class A, Is<KernelClass> T>
void fields(A& archive, T& kernel_class) {
  auto& [name, kind, grid, block, registers, shared_memory] = kernel_class;
  archive.index(name);
  archive(kind, grid, block, registers, shared_memory);
}

template <class A, Is<Site> T>
void fields(A& archive, T& site) {
  auto& [op, outer_op, shapes, types, ranges, backward, graph] = site;
  archive.index(op);
  archive.index(outer_op);
  archive.index(shapes);
  archive.index(types);
  archive(ranges, backward, graph);
}

template <class A>
void fields(A& archive, std::string& name) {
  archive(name);
}
template <class A>
void fields(A& archive, const std::string& name) {
  archive(name);
}

// The columns that are kept as blobs: f(name, member) for each member of the element type.

template <class F>
void columns(F&& f, const CanonicalLaunch*) {
  f("class", &CanonicalLaunch::class_index);
  f("stream", &CanonicalLaunch::stream);
  f("layer", &CanonicalLaunch::layer);
  f("phase", &CanonicalLaunch::phase);
  f("start_ns", &CanonicalLaunch::start_ns);
  f("duration_ns", &CanonicalLaunch::duration_ns);
}

template <class F>
void columns(F&& f, const OperatorCall*) {
  f("call.site", &OperatorCall::site);
  f("call.sequence", &OperatorCall::sequence);
}

template <class F>
void columns(F&& f, const Launch*) {
  f("launch.start_ns", &Launch::start_ns);
  f("launch.duration_ns", &Launch::duration_ns);
  f("launch.class", &Launch::kernel_class);
  f("launch.stream", &Launch::stream);
  f("launch.call", &Launch::call);
  f("launch.iteration", &Launch::iteration);
}

template <class F>
void columns(F&& f, const HostRange*) {
  f("name", &HostRange::name);
  f("start_ns", &HostRange::start_ns);
  f("end_ns", &HostRange::end_ns);
}

template <class F>
void columns(F&& f, const Cell*) {
  f("class_row", &Cell::class_row);
  f("operator_row", &Cell::operator_row);
  f("layer_row", &Cell::layer_row);
  f("phase_row", &Cell::phase_row);
  f("launches", &Cell::launches);
  f("time_s", &Cell::time_s);
  f("energy_j", &Cell::energy_j);
  f("measured_s", &Cell::measured_s);
  f("flops", &Cell::flops);
}

template <class F>
void columns(F&& f, const RowSpan*) {
  f("row", &RowSpan::row);
  f("start_ns", &RowSpan::start_ns);
  f("end_ns", &RowSpan::end_ns);
}

static_assert(sizeof(Cell) == 56 && sizeof(RowSpan) == 24, "a new member needs a column above");
static_assert(sizeof(CanonicalLaunch) == 32 && sizeof(OperatorCall) == 16 && sizeof(Launch) == 32 &&
                  sizeof(HostRange) == 24,
              "a new member needs a column above");

template <class F, Is<GpuPower> T>
void series(F&& f, T& power) {
  f("energy_mj", power.energy_mj);
  f("power_instant_w", power.power_instant_w);
  f("power_average_w", power.power_average_w);
  f("power_draw_w", power.power_draw_w);
  f("power_samples_w", power.power_samples_w);
  f("sm_mhz", power.sm_mhz);
  f("mem_mhz", power.mem_mhz);
  f("temperature_c", power.temperature_c);
  f("event_reasons", power.event_reasons);
}

}  // namespace kernwatt::run
