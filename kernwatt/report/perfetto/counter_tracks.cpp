// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/perfetto/counter_tracks.hpp"

namespace kernwatt::report {
namespace {

/// A counter keeps its value until the next event, so repeats but the last of them say nothing.
template <class T, class Value>
void write_series(const run::Series<T>& series, std::string_view name, std::string_view unit, std::uint32_t process,
                  const Value& value, TraceEventWriter& out) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool repeat = i > 0 && i + 1 < series.size() && series.value[i] == series.value[i - 1];
    if (repeat) continue;
    out.begin_event('C', name, process, 0);
    out.start(series.time_ns[i]);
    out.arg(unit, value(series.value[i]));
    out.end_event();
  }
}

void write_gpu(const run::GpuPower& gpu, std::uint32_t process, TraceEventWriter& out) {
  const auto same = [](double value) { return value; };
  write_series(gpu.power_instant_w, "power.draw.instant", "W", process, same, out);
  write_series(gpu.power_average_w, "power.draw.average", "W", process, same, out);
  write_series(gpu.power_draw_w, "power.draw", "W", process, same, out);
  write_series(gpu.power_samples_w, "driver samples of power", "W", process, same, out);
  write_series(gpu.sm_mhz, "SM clock", "MHz", process, same, out);
  write_series(gpu.mem_mhz, "memory clock", "MHz", process, same, out);
  write_series(gpu.temperature_c, "temperature", "°C", process, same, out);
  if (gpu.energy_mj.empty()) return;
  const std::int64_t zero = gpu.energy_mj.value.front();
  write_series(
      gpu.energy_mj, "energy counter", "J", process,
      [zero](std::int64_t mj) { return (static_cast<double>(mj) - static_cast<double>(zero)) * 1e-3; }, out);
}

}  // namespace

void write_counters(const run::Run& run, const GpuProcesses& gpus, TraceEventWriter& out) {
  for (std::size_t log = 0; log < run.power.size(); ++log)
    for (std::size_t gpu = 0; gpu < run.power[log].gpus.size(); ++gpu)
      write_gpu(run.power[log].gpus[gpu], gpus.of_log(log, gpu), out);
}

}  // namespace kernwatt::report
