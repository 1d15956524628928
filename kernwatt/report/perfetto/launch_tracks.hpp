// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/report/perfetto/gpu_processes.hpp"
#include "kernwatt/report/perfetto/trace_event_writer.hpp"
#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// The kept launches on a thread per stream, and the power that the fit gives them as a counter per GPU. Launches of
/// one stream that overlap without one being inside the other go to threads beside it.
void write_launches(const run::Run& run, const GpuProcesses& gpus, TraceEventWriter& out);

/// The canonical iteration, once, from `start_ns`, with its phases and layers above it.
void write_iteration(const run::Run& run, const GpuProcesses& gpus, std::int64_t start_ns, TraceEventWriter& out);

}  // namespace kernwatt::report
