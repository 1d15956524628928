// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/run/attribution.hpp"
#include "kernwatt/run/gpu.hpp"
#include "kernwatt/run/power_log.hpp"

/// What power logs say by themselves, without a trace: plain data that the reports print (docs/json.md, kind "power").
/// Whatever was not measured is empty, never 0.
namespace kernwatt::run {

/// An energy by each of the two ways to measure it, and the one that is believed.
struct PowerEnergy {
  std::optional<double> energy_j;  ///< the believed one; empty when neither can be trusted
  std::optional<Interval> energy_ci95_j;
  std::string source;                ///< "counter", "power", "counter, resets bridged by power", "none"
  std::optional<double> counter_j;   ///< difference of the energy counter, interpolated between its steps
  std::optional<double> integral_j;  ///< integral of the power readings
  std::optional<double> mean_w;      ///< energy_j over the time
  bool below_resolution = false;     ///< the time is shorter than one update of what was believed
};

/// A stretch of steady power. The phases of a GPU follow each other without gap or overlap.
struct PowerPhase {
  std::uint32_t gpu = 0;  ///< position in PowerReport::gpus
  std::string name;       ///< "idle", "warm-up", "work", "work 2", "pause", "cool-down", "steady"
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  PowerEnergy energy;
  std::optional<double> period_s;  ///< when the power swings up and down within the phase
};

/// How often a reading really changes.
struct UpdateRhythm {
  std::optional<double> period_s;   ///< empty when it is not known
  std::string found = "not found";  ///< "found", "every reading" (it changes as fast as it is polled), "not found"
};

/// Stretches without a reading, far longer than the poll.
struct ReadingGaps {
  std::uint64_t count = 0;
  double total_s = 0;
  std::optional<double> longest_s;
  std::optional<std::int64_t> longest_start_ns;
  std::optional<double> bridged_j;  ///< the part of the integral that is a straight line across gaps
};

struct PowerGpu {
  GpuIdentity gpu;
  std::string name;            ///< best name: UUID, PCI bus id or index
  bool named_by_file = false;  ///< the name says of which file: without, two of the GPUs would have the same
  std::vector<std::string> files;
  std::vector<std::string> formats;
  std::string sensor;  ///< whose integral is given: "power.draw"; empty without power readings
  std::uint64_t samples = 0;
  std::uint64_t missing = 0;
  std::vector<TokenCount> missing_tokens;  ///< what stood in place of the missing readings
  std::uint64_t stale = 0;                 ///< readings equal to the one before
  std::optional<std::int64_t> start_ns;    ///< the window that is accounted for
  std::optional<std::int64_t> end_ns;
  std::optional<double> poll_s;
  UpdateRhythm update;
  UpdateRhythm counter_update;
  std::optional<double> counter_step_j;  ///< median step of the counter
  ReadingGaps gaps;
  std::optional<double> min_w;
  std::optional<double> mean_w;  ///< of the readings: over time; of the instants where these are too few
  std::optional<double> max_w;
  std::optional<double> power_limit_w;
  bool sensor_dead = false;  ///< one value from first to last: no energy follows from it
  PowerEnergy energy;
  std::optional<double> disagreement;            ///< counter_j / integral_j over the time that both cover
  std::string believed;                          ///< one sentence: which of the two is believed, and why
  std::optional<double> profile_bin_s;           ///< the power over time, in equal bins
  std::vector<std::optional<double>> profile_w;  ///< mean of each bin; empty where a gap covers it
};

/// The sum over the GPUs, each counted once.
struct PowerTotal {
  std::optional<double> energy_j;
  std::optional<Interval> energy_ci95_j;
  std::optional<double> mean_w;  ///< energy_j over the window
  std::string source;            ///< "counter", "power", "mixed", "none"
  std::uint64_t gpus = 0;        ///< seen in the logs
  std::uint64_t gpus_with_energy = 0;
  std::optional<std::uint64_t> gpus_expected;  ///< more than seen, where the indices have holes
  bool partial = false;                        ///< a GPU has no energy, or is missing
  std::optional<std::int64_t> start_ns;  ///< the window: from the first to the last reading of the GPUs with energy
  std::optional<std::int64_t> end_ns;
};

struct PowerReport {
  std::vector<PowerGpu> gpus;
  std::vector<PowerPhase> phases;  ///< by GPU, then in time
  PowerTotal total;
  bool window_given = false;  ///< the user asked for a stretch of the logs
};

}  // namespace kernwatt::run
