// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/attribution/communication.hpp"
#include "kernwatt/attribution/power/clock_track.hpp"
#include "kernwatt/attribution/power/timeline.hpp"
#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/run/trace.hpp"

/// Launches that agree in everything that a view can ask are summed into one cell; every view is then a sum of cells.
/// Ten million launches make some thousand cells.
namespace kernwatt::attribution {

struct CellKey {
  std::uint32_t kernel_class = run::none;
  std::uint32_t column = run::none;  ///< whose power it is measured with; differs from the class's for tiny launches
  std::uint32_t op = run::none;
  std::uint32_t layer = run::none;
  Phase phase = Phase::compute;
  bool overlapped = false;  ///< communication under other kernels
  bool waiting = false;     ///< communication that waits for other ranks
  bool covered = false;     ///< inside the stretch whose energy was measured
  bool operator==(const CellKey&) const = default;
};

struct LaunchCell {
  CellKey key;
  double launches =
      0;  ///< parts of launches too: of collectives that are partly exposed, of launches that a selection cuts
  double time_s = 0;   ///< durations
  double owned_s = 0;  ///< time owned: overlaps shared, short gaps included
  double clock_s = 0;  ///< integral of g = ln(f / f_max) over the owned time
  double flops = 0;
  bool flops_unknown = false;  ///< some work in it has FLOPs that nobody knows
};

/// A stretch of the timeline, seconds from its origin.
struct Span {
  double from_s = 0;
  double to_s = 0;
  double length_s() const { return to_s - from_s; }
};

/// `selected`: a launch that it cuts counts with the part inside. `covered`: the part whose energy is known.
std::vector<LaunchCell> collect_cells(const run::Trace& trace, const ProgramStructure& structure,
                                      const CommunicationOverlap& overlap, const Timeline& timeline,
                                      const ClockTrack& clock, const Span& selected, const Span& covered);

}  // namespace kernwatt::attribution
