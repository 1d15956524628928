// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

/// How long the attribution of many launches takes, reading excluded.
/// bench_attribute_launches [LAUNCHES = 10000000] -> seconds, launches per second, peak memory
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernwatt/attribution/attribute.hpp"

namespace {

using namespace kernwatt;

constexpr std::int64_t start_ns = 1'796'000'000'000'000'000;

/// Training-like: a step of 900 launches of 60 classes on two streams, again and again.
run::Trace make_trace(std::uint64_t launches) {
  run::Trace trace;
  trace.file = "generated";
  trace.format = "kernel-csv";
  trace.time_is_absolute = true;
  trace.gpus.push_back({});
  trace.streams = {{0, trace.names.intern("7")}, {0, trace.names.intern("20")}};
  for (std::uint32_t k = 0; k < 60; ++k) {
    run::KernelClass c;
    c.name =
        trace.names.intern((k % 4 == 0 ? "sm90_gemm_bf16_" : "vectorized_elementwise_kernel_") + std::to_string(k));
    c.grid = run::Dim3{64 + 8 * k, 1, 1};
    c.block = run::Dim3{256, 1, 1};
    trace.classes.push_back(c);
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> which(0, 58);
  std::vector<std::uint32_t> step(900);
  for (auto& k : step) k = which(random);
  step[0] = 59;  // as the loss in a training step: once a turn
  std::uniform_int_distribution<std::int64_t> jitter(0, 400);
  trace.launches.reserve(launches);
  std::int64_t at = start_ns;
  for (std::uint64_t i = 0; i < launches; ++i) {
    run::Launch l;
    l.kernel_class = step[i % step.size()];
    l.start_ns = at;
    l.duration_ns = 4'000 + 300 * l.kernel_class + jitter(random);
    l.stream = i % 50 == 0 ? 1 : 0;
    at = l.end_ns() + (i % 50 == 0 ? -1'500 : 1'200);
    trace.launches.push_back(l);
  }
  return trace;
}

run::PowerLog make_log(const run::Trace& trace) {
  run::PowerLog log;
  log.gpus.resize(1);
  run::GpuPower& gpu = log.gpus[0];
  std::mt19937 random(2);
  std::normal_distribution<double> watts(600, 40);
  double joules = 0;
  for (std::int64_t t = start_ns - 2'000'000'000; t < trace.launches.back().end_ns() + 2'000'000'000; t += 10'000'000) {
    const bool busy = t > start_ns && t < trace.launches.back().end_ns();
    const double w = busy ? watts(random) : 125;
    joules += w * 0.01;
    const std::int64_t n = (t - start_ns) / 10'000'000;
    if (n % 10 == 0) gpu.energy_mj.push(t, static_cast<std::int64_t>(joules * 1e3));
    if (n % 2 == 0) gpu.power_samples_w.push(t, w);
    gpu.sm_mhz.push(t, 1900 + static_cast<double>(n % 5) * 15);
  }
  return log;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t launches = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  std::vector<run::Trace> traces;
  traces.push_back(make_trace(launches));
  std::vector<run::PowerLog> logs{make_log(traces[0])};
  const auto before = std::chrono::steady_clock::now();
  const Result<run::Run> run = attribution::attribute(std::move(traces), std::move(logs), {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  if (!run) {
    fmt::print(stderr, "{}\n", run.error().text());
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} launches attributed in {:.2f} s ({:.2f} million a second), {} rows, {} iterations, peak {} MiB\n",
             launches, seconds, static_cast<double>(launches) / seconds * 1e-6, run->attribution.rows.size(),
             run->attribution.iterations.count, usage.ru_maxrss / 1024);
  return 0;
}
