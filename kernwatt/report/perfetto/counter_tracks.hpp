// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/report/perfetto/gpu_processes.hpp"
#include "kernwatt/report/perfetto/trace_event_writer.hpp"
#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// Each sensor of each GPU as a counter: watts, clocks, temperature, and joules since the first reading.
void write_counters(const run::Run& run, const GpuProcesses& gpus, TraceEventWriter& out);

/// Calls take(ns) with the first time of each sensor that has readings.
template <class Take>
void earliest_reading(const run::GpuPower& gpu, const Take& take) {
  if (!gpu.energy_mj.empty()) take(gpu.energy_mj.time_ns.front());
  for (const auto* series : {&gpu.power_instant_w, &gpu.power_average_w, &gpu.power_draw_w, &gpu.power_samples_w,
                             &gpu.sm_mhz, &gpu.mem_mhz, &gpu.temperature_c})
    if (!series->empty()) take(series->time_ns.front());
}

}  // namespace kernwatt::report
