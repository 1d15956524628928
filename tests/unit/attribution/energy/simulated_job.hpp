// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// A job whose class powers are known because they were chosen, read by sensors as METHOD describes them.
namespace kernwatt::attribution {

struct SimulatedKernel {
  std::string name;
  double watts;
  double duration_us;
};

struct SimulatedJob {
  run::Trace trace;
  run::PowerLog log;
  double true_joules = 0;  ///< between the log's ends
};

inline constexpr std::int64_t job_start_ns = 1'796'000'000'000'000'000;

class JobSimulator {
 public:
  JobSimulator(std::vector<SimulatedKernel> kernels, double idle_w, unsigned seed)
      : kernels_(std::move(kernels)), idle_w_(idle_w), random_(seed) {
    job_.trace.file = "simulated";
    job_.trace.format = "kernel-csv";
    job_.trace.time_is_absolute = true;
    job_.trace.gpus.push_back({});
    job_.trace.streams.push_back({0, job_.trace.names.intern("7")});
    for (const SimulatedKernel& k : kernels_) {
      run::KernelClass c;
      c.name = job_.trace.names.intern(k.name);
      c.grid = run::Dim3{1024, 1, 1};
      c.block = run::Dim3{256, 1, 1};
      job_.trace.classes.push_back(c);
    }
  }

  /// Random bursts of one kernel each, 4 - 50 ms, some pauses; `seconds` long, a second of idle on both sides.
  SimulatedJob bursts(double seconds) {
    idle(1.0);
    std::uniform_int_distribution<std::size_t> which(0, kernels_.size() - 1);
    std::uniform_real_distribution<double> length(0.004, 0.050);
    std::uniform_real_distribution<double> chance(0, 1);
    while (now_us_ < (1.0 + seconds) * 1e6) {
      const std::size_t k = which(random_);
      for (double end = now_us_ + 1e6 * length(random_); now_us_ < end;) launch(k);
      if (chance(random_) < 0.15) idle(0.020);
    }
    idle(1.0);
    return finish();
  }

  /// The same sequence of kernels again and again, marked as iterations.
  SimulatedJob steps(int count, const std::vector<std::size_t>& sequence) {
    idle(1.0);
    for (int i = 0; i < count; ++i) {
      const std::int64_t start = at_ns();
      for (const std::size_t k : sequence) launch(k);
      job_.trace.iteration_marks.push_back(
          {job_.trace.names.intern("ProfilerStep#" + std::to_string(i)), start, at_ns()});
      for (std::size_t l = job_.trace.launches.size() - sequence.size(); l < job_.trace.launches.size(); ++l)
        job_.trace.launches[l].iteration = static_cast<std::uint32_t>(i);
    }
    idle(1.0);
    return finish();
  }

 private:
  std::int64_t at_ns() const { return job_start_ns + static_cast<std::int64_t>(now_us_ * 1e3); }

  void power(double watts, double us) {
    for (const double end = now_us_ + us; now_us_ < end;) {
      const auto bin = static_cast<std::size_t>(now_us_ / 100);
      if (watts_.size() <= bin) watts_.resize(bin + 1, 0.0);
      const double stop = std::min(end, 100.0 * static_cast<double>(bin + 1));
      watts_[bin] += watts * (stop - now_us_) / 100;
      now_us_ = stop;
      if (end - now_us_ < 1e-6) now_us_ = end;
    }
  }

  void launch(std::size_t k) {
    run::Launch l;
    l.start_ns = at_ns();
    l.duration_ns = static_cast<std::int64_t>(kernels_[k].duration_us * 1e3);
    l.kernel_class = static_cast<std::uint32_t>(k);
    l.stream = 0;
    job_.trace.launches.push_back(l);
    power(kernels_[k].watts, kernels_[k].duration_us + 1.2);
  }

  void idle(double seconds) { power(idle_w_, seconds * 1e6); }

  SimulatedJob finish() {
    run::GpuPower gpu;
    std::normal_distribution<double> noise(0, 2);
    const double decay = std::exp(-0.1 / 13);
    double lagged = idle_w_;
    double joules = 0;
    double sample_due_ms = 20;
    double poll_due_ms = 5;
    std::int64_t shown_mj = 1'000'000;
    double update_due_ms = 100;
    for (std::size_t i = 0; i < watts_.size(); ++i) {
      lagged = decay * lagged + (1 - decay) * watts_[i];
      joules += lagged * 1e-4;
      const double t_ms = 0.1 * static_cast<double>(i + 1);
      const auto ns = [](double ms) { return job_start_ns + static_cast<std::int64_t>(ms * 1e6); };
      if (t_ms >= update_due_ms) shown_mj = 1'000'000 + static_cast<std::int64_t>(joules * 1e3), update_due_ms += 100;
      if (t_ms >= poll_due_ms)
        gpu.energy_mj.push(ns(t_ms), shown_mj), gpu.sm_mhz.push(ns(t_ms), 1980), poll_due_ms += 10;
      if (t_ms >= sample_due_ms) gpu.power_samples_w.push(ns(t_ms + 3.5), lagged + noise(random_)), sample_due_ms += 20;
    }
    job_.true_joules = joules;
    gpu.rows = gpu.energy_mj.size();
    job_.log.file = "simulated.power";
    job_.log.format = "power-csv";
    job_.log.gpus.push_back(std::move(gpu));
    return std::move(job_);
  }

  std::vector<SimulatedKernel> kernels_;
  double idle_w_;
  std::mt19937 random_;
  SimulatedJob job_;
  double now_us_ = 0;
  std::vector<double> watts_;  ///< each 0.1 ms
};

inline std::vector<SimulatedKernel> four_kernels() {
  return {{"gemm_bf16_kernel", 650, 300},
          {"vectorized_layer_norm_kernel", 560, 40},
          {"elementwise_kernel_add", 480, 25},
          {"fill_kernel", 350, 80}};
}

}  // namespace kernwatt::attribution
