// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/power/cell_value.hpp"
#include "kernwatt/readers/power/power_columns.hpp"
#include "kernwatt/readers/power/timestamp.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// One GPU's rows as the file gave them, before anything was repaired. A row is what the log says of the GPU at one
/// instant.
struct GpuRows {
  run::GpuPower power;
  std::vector<std::int64_t> missing_power_ns;           ///< times of rows without a power (or energy)
  std::map<std::string, std::uint64_t> missing_tokens;  ///< what those rows said instead
  std::map<std::string, std::uint64_t> other_missing;   ///< header of another column -> cells without a value
  std::uint64_t sentinels = 0;
  std::uint64_t wrapped = 0;
  std::uint64_t module_readings = 0;
  std::uint64_t backward_steps = 0;
  std::int64_t largest_step_back_ns = 0;
  std::uint64_t index_disagrees = 0;    ///< rows whose columns "gpu" and "index" differ
  std::uint64_t clock_set_back = 0;     ///< civil time fell back by an hour
  std::uint64_t clock_set_forward = 0;  ///< civil time leapt forward by an hour
  bool limit_is_enforced = false;       ///< power_limit_w is the enforced one, which goes before the one asked for
  // of the row before
  std::optional<std::int64_t> last_ns;
  std::int64_t last_step_ns = 0;
  std::int64_t shift_ns = 0;
};

/// What the times of a log are, counted over its rows.
struct TimeFacts {
  std::uint64_t civil = 0, absolute = 0, relative = 0, none = 0;
  std::uint64_t day_first = 0, month_first = 0, undecidable = 0;
  void note(const Timestamp& stamp);
};

run::TimeBasis basis_of(const TimeFacts& time);

/// What one row had, while its cells are taken.
struct RowOutcome {
  bool any_power = false;
  bool any_energy = false;
  const Column* counter_without_value = nullptr;
  std::string missing;  ///< what a cell for power or energy said instead
};

/// Where the row's time lies for this GPU: as written, but for the hour that a local clock falls back or
/// leaps forward.
std::int64_t place_in_time(GpuRows& gpu, const Timestamp& stamp);

/// Takes one cell. `only_power`: without it the row has no power, so its absence is counted with the row, not with the
/// column.
void take_cell(GpuRows& gpu, const Column& column, const CellValue& value, std::int64_t ns, bool only_power,
               RowOutcome& outcome);

/// Ends a row: counts it, and as missing when it has no reading although one was to be had.
/// @param wants_power  the log has power columns, so that an energy alone does not make the row whole
void close_row(GpuRows& gpu, std::int64_t ns, bool wants_power, bool wants_any, RowOutcome& outcome);

/// The readings for the log, once they were repaired.
run::GpuPower finished(GpuRows rows);

}  // namespace kernwatt::readers
