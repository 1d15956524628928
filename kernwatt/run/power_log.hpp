// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/gpu.hpp"

/// The facts of one power log: what was read, when, for which GPU. Nothing is filled in: a value that was missing
/// or refused is not in the series, it is counted.
namespace kernwatt::run {

/// Readings in time order; both columns have the same length. time_ns: CLOCK_REALTIME unless the log's basis says
/// otherwise.
template <class T>
struct Series {
  std::vector<std::int64_t> time_ns;
  std::vector<T> value;
  std::size_t size() const { return time_ns.size(); }
  bool empty() const { return time_ns.empty(); }
  void push(std::int64_t t, T v) {
    time_ns.push_back(t);
    value.push_back(v);
  }
};

/// How often a log held this instead of a reading: "[N/A]", "no value".
struct TokenCount {
  std::string token;
  std::uint64_t count = 0;
};

/// Readings of one GPU, one series per sensor. Sensors differ in window and lag, so they are never mixed.
struct GpuPower {
  GpuIdentity gpu;
  Series<std::int64_t> energy_mj;  ///< cumulative energy counter, as polled (steps)
  Series<double> power_instant_w;  ///< NVML field 186, power.draw.instant
  Series<double> power_average_w;  ///< NVML field 185, power.draw.average
  Series<double> power_draw_w;     ///< power.draw, GetPowerUsage: the window depends on the architecture
  Series<double> power_samples_w;  ///< the driver's own 20 ms samples (nvmlDeviceGetSamples)
  Series<double> sm_mhz;
  Series<double> mem_mhz;
  Series<double> temperature_c;
  Series<std::uint64_t> event_reasons;  ///< NVML clock event reason bits
  std::optional<double> power_limit_w;
  std::uint64_t rows = 0;                  ///< rows of the log that belong to this GPU
  std::uint64_t missing_power = 0;         ///< of them, rows whose power (or energy, if that is all there is) was
                                           ///< missing, a sentinel, or refused
  std::vector<TokenCount> missing_tokens;  ///< what those rows held; may say less than missing_power counts
};

/// Energy or mean power over one stretch, from a log that gives no series: a row of CodeCarbon's emissions, a window of
/// Zeus. It can be reported, never laid beside a trace.
struct RecordedTotal {
  std::string name;  ///< the window or run: "train", a run id; may be empty
  GpuIdentity gpu;   ///< empty when the figure is of several GPUs
  std::optional<int> gpu_count;
  std::optional<std::int64_t> start_ns;  ///< CLOCK_REALTIME, where the log says so
  std::optional<double> duration_s;
  std::optional<double> energy_j;
  std::optional<double> power_w;
};

/// The core clocks that a GPU offers under each of its memory clocks, in MHz, as the file lists them.
struct SupportedClocks {
  GpuIdentity gpu;
  struct UnderMemoryClock {
    double memory_mhz = 0;
    std::vector<double> core_mhz;
  };
  std::vector<UnderMemoryClock> memory;  ///< empty: the driver says N/A
};

enum class TimeBasis : std::uint8_t {
  absolute,       ///< seconds since the epoch, zone known
  local_unknown,  ///< a civil time without a zone, read as if it were UTC: whole hours may be off
  unknown_zero    ///< from a zero of their own, or readings without times
};

struct PowerLog {
  std::string file;
  std::string format;  ///< one of readers::power_formats()
  TimeBasis basis = TimeBasis::absolute;
  std::vector<GpuPower> gpus;
  std::vector<RecordedTotal> totals;
  std::vector<SupportedClocks> supported_clocks;
  QualityLedger quality;
};

}  // namespace kernwatt::run
