// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/attribution.hpp"
#include "kernwatt/run/power_log.hpp"
#include "kernwatt/run/trace.hpp"

/// A Run holds what was measured, what was concluded and what was done. It is enough for every later step
/// (show, plan, diagnose, a resumed sweep) without the launches themselves, which it keeps only when asked.
namespace kernwatt::run {

/// What is known of a kernel class, beyond its name.
struct ClassFacts {
  std::string name;
  LaunchKind kind = LaunchKind::kernel;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<std::uint32_t> registers_per_thread;
  std::optional<std::uint32_t> shared_memory_bytes;
  std::string category;                    ///< "matrix product", "attention", …
  std::optional<double> flops_per_launch;  ///< mean over the launches whose shapes are known
  std::uint32_t attribution_row = none;    ///< its row in the view class; none without one
};

/// One launch of the canonical iteration. Indices are into CanonicalIteration's tables and Run::classes.
struct CanonicalLaunch {
  std::uint32_t class_index = none;
  std::uint32_t stream = 0;
  std::uint32_t layer = none;
  std::uint32_t phase = none;
  std::int64_t start_ns = 0;     ///< from the iteration's start; median over the iterations
  std::int64_t duration_ns = 0;  ///< median
};

/// The launch sequence that the program repeats; empty when none was found.
struct CanonicalIteration {
  std::int64_t period_ns = 0;
  std::uint64_t observed = 0;  ///< iterations that had exactly this sequence
  std::vector<std::string> layers;
  std::vector<std::string> phases;
  std::vector<CanonicalLaunch> launches;
};

/// What can be set on a GPU; an empty field is automatic.
struct Configuration {
  std::optional<double> core_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> power_limit_w;
};

/// Measured behaviour of one class under one configuration.
struct Observation {
  std::uint32_t class_index = none;
  Configuration configuration;
  std::uint64_t count = 0;
  double time_mean_s = 0;
  double time_variance_s2 = 0;  ///< between launches
  std::optional<double> power_mean_w;
  std::optional<double> power_variance_w2;  ///< of the estimate
};

/// Covariance of the class powers that the attribution estimated, for planning under uncertainty.
struct PowerCovariance {
  std::vector<std::uint32_t> class_index;
  std::vector<double> w2;  ///< row-major, size class_index.size()²
};

struct Run {
  std::string tool_version;
  std::string command_line;
  std::int64_t created_ns = 0;  ///< CLOCK_REALTIME
  std::vector<GpuIdentity> devices;
  std::vector<PowerLog> power;
  std::vector<ClassFacts> classes;
  CanonicalIteration iteration;
  std::vector<Observation> observations;
  PowerCovariance covariance;
  std::vector<Trace> traces;  ///< only with --keep-launches
  Attribution attribution;
  QualityLedger quality;
};

}  // namespace kernwatt::run
