// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/power_json.hpp"

#include "kernwatt/report/json/json_parts.hpp"
#include "kernwatt/report/json/json_writer.hpp"

namespace kernwatt::report {
namespace {

constexpr int schema = 1;

void write_identity(JsonWriter& json, const run::GpuIdentity& gpu) {
  json.member("index", gpu.index);
  json.member("uuid", gpu.uuid);
  json.member("pci_bus_id", gpu.pci_bus_id);
  json.member("name", gpu.name);
  json.member("host", gpu.host);
}

void write_energy(JsonWriter& json, const run::PowerEnergy& energy) {
  json.member("source", energy.source);
  json.member("energy_j", energy.energy_j);
  write_interval(json, "energy_ci95_j", energy.energy_ci95_j);
  json.member("energy_counter_j", energy.counter_j);
  json.member("energy_integral_j", energy.integral_j);
  json.member("power_w", energy.mean_w);
  json.member("below_resolution", energy.below_resolution);
}

void write_update(JsonWriter& json, const char* name, const run::UpdateRhythm& update) {
  json.key(name).begin_object();
  json.member("found", update.found);
  json.member("period_s", update.period_s);
  json.end_object();
}

void write_gaps(JsonWriter& json, const run::ReadingGaps& gaps) {
  json.key("gaps").begin_object();
  json.member("count", gaps.count);
  json.member("total_s", gaps.total_s);
  json.member("longest_s", gaps.longest_s);
  json.member("longest_start_ns", gaps.longest_start_ns);
  json.member("bridged_j", gaps.bridged_j);
  json.end_object();
}

void write_readings(JsonWriter& json, const run::PowerGpu& gpu) {
  json.key("readings").begin_object();
  json.member("sensor", gpu.sensor.empty() ? std::optional<std::string>() : gpu.sensor);
  json.member("samples", gpu.samples);
  json.member("missing", gpu.missing);
  write_array(json, "missing_tokens", gpu.missing_tokens, [](JsonWriter& out, const run::TokenCount& held) {
    out.begin_object();
    out.member("token", held.token);
    out.member("count", held.count);
    out.end_object();
  });
  json.member("stale", gpu.stale);
  json.member("poll_s", gpu.poll_s);
  write_update(json, "update", gpu.update);
  write_update(json, "counter_update", gpu.counter_update);
  json.member("counter_step_j", gpu.counter_step_j);
  write_gaps(json, gpu.gaps);
  json.member("min_w", gpu.min_w);
  json.member("mean_w", gpu.mean_w);
  json.member("max_w", gpu.max_w);
  json.member("power_limit_w", gpu.power_limit_w);
  json.member("sensor_dead", gpu.sensor_dead);
  json.end_object();
}

void write_gpu(JsonWriter& json, const run::PowerGpu& gpu) {
  json.begin_object();
  json.member("gpu", gpu.name);
  json.key("identity").begin_object();
  write_identity(json, gpu.gpu);
  json.end_object();
  write_list(json, "files", gpu.files);
  write_list(json, "formats", gpu.formats);
  json.member("start_ns", gpu.start_ns);
  json.member("end_ns", gpu.end_ns);
  write_energy(json, gpu.energy);
  json.member("counter_to_integral", gpu.disagreement);
  json.member("believed", gpu.believed);
  write_readings(json, gpu);
  json.key("profile").begin_object();
  json.member("bin_s", gpu.profile_bin_s);
  write_list(json, "power_w", gpu.profile_w);
  json.end_object();
  json.end_object();
}

void write_phase(JsonWriter& json, const run::PowerPhase& phase) {
  json.begin_object();
  json.member("gpu", phase.gpu);
  json.member("name", phase.name);
  json.member("start_ns", phase.start_ns);
  json.member("end_ns", phase.end_ns);
  write_energy(json, phase.energy);
  json.member("period_s", phase.period_s);
  json.end_object();
}

void write_total(JsonWriter& json, const run::PowerReport& report) {
  const run::PowerTotal& total = report.total;
  json.key("energy").begin_object();
  json.member("source", total.source);
  json.member("start_ns", total.start_ns);
  json.member("end_ns", total.end_ns);
  json.member("window_given", report.window_given);
  json.member("total_j", total.energy_j);
  write_interval(json, "total_ci95_j", total.energy_ci95_j);
  json.member("power_w", total.mean_w);
  json.member("gpus", total.gpus);
  json.member("gpus_with_energy", total.gpus_with_energy);
  json.member("gpus_expected", total.gpus_expected);
  json.member("partial", total.partial);
  json.end_object();
}

void write_recorded(JsonWriter& json, const std::vector<run::PowerLog>& logs) {
  json.key("totals").begin_array();
  for (const run::PowerLog& log : logs)
    for (const run::RecordedTotal& total : log.totals) {
      json.begin_object();
      json.member("file", log.file);
      json.member("format", log.format);
      json.member("total", total.name);
      write_identity(json, total.gpu);
      json.member("gpu_count", total.gpu_count);
      json.member("start_ns", total.start_ns);
      json.member("duration_s", total.duration_s);
      json.member("energy_j", total.energy_j);
      json.member("power_w", total.power_w);
      json.end_object();
    }
  json.end_array();
}

void write_clocks(JsonWriter& json, const std::vector<run::PowerLog>& logs) {
  json.key("supported_clocks").begin_array();
  for (const run::PowerLog& log : logs)
    for (const run::SupportedClocks& clocks : log.supported_clocks) {
      json.begin_object();
      json.member("file", log.file);
      write_identity(json, clocks.gpu);
      write_array(json, "memory", clocks.memory, [](JsonWriter& out, const auto& under) {
        out.begin_object();
        out.member("memory_mhz", under.memory_mhz);
        write_list(out, "core_mhz", under.core_mhz);
        out.end_object();
      });
      json.end_object();
    }
  json.end_array();
}

}  // namespace

std::string power_json(const run::Run& run, const run::PowerReport& report) {
  JsonWriter json;
  json.begin_object();
  write_head(json, "power", schema, run);
  write_array(json, "power", run.attribution.power, write_power_summary);
  write_total(json, report);
  write_array(json, "gpus", report.gpus, write_gpu);
  write_array(json, "phases", report.phases, write_phase);
  write_recorded(json, run.power);
  write_clocks(json, run.power);
  write_array(json, "quality", run.quality.entries(), write_quality_entry);
  json.end_object();
  return json.take();
}

}  // namespace kernwatt::report
