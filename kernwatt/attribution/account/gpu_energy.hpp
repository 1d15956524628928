// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/attribution/account/gpu_join.hpp"
#include "kernwatt/attribution/account/launch_cells.hpp"
#include "kernwatt/attribution/account/measured_energy.hpp"
#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/attribution/power/power_fit.hpp"

namespace kernwatt::attribution {

/// The energy of one GPU: total = cells + idle + gaps + unattributed.
struct GpuEnergy {
  TracedGpu gpu;
  std::string name;  ///< of the GPU, for reports
  Timeline timeline;
  Columns columns;
  ClockTrack clock;
  std::optional<PowerFit> fit;  ///< empty without readings: times only
  std::optional<MeasuredEnergy> measured;
  std::vector<double> bin_watts;  ///< the model's power
  std::string source = "none";    ///< of the total
  PointSource point_source = PointSource::none;
  double poll_doubt = 0;                    ///< part of a row's energy that seldom polls leave open, half-width
  std::optional<double> transient_limit_w;  ///< the highest that a class can draw for longer than an instant
  Span selected;                            ///< what the user asked for; the traced stretch when nothing was asked
  Span window;                              ///< what was accounted for
  double repeats = 1;                       ///< how often the traced stretch is laid over the log (--tile)
  std::vector<LaunchCell> cells;
  double idle_s = 0;  ///< of the window
  double gap_s = 0;
  std::optional<double> total_j;

  double attributed_j() const;
  double idle_j() const;  ///< idle and launch gaps
  double unattributed_j() const { return total_j.value_or(0) - attributed_j() - idle_j(); }
  double cell_j(const LaunchCell& cell) const;  ///< 0 for launches outside the window
};

/// The facts about one trace that its GPUs share.
struct TracedProgram {
  const run::Trace& trace;
  const ProgramStructure& structure;
  const CommunicationOverlap& overlap;
};

/// `logged` may be null: times only.
Result<GpuEnergy> measure_gpu(const TracedProgram& program, const TracedGpu& gpu, const LoggedGpu* logged,
                              const AttributeOptions& options, QualityLedger& quality);

}  // namespace kernwatt::attribution
