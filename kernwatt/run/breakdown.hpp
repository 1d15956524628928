// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// How the views of an attribution cross: which part of a layer's energy is of which phase, operator and class, and
/// when each phase and iteration ran. Rows are named by Row::id.
namespace kernwatt::run {

/// What one class did for one operator in one layer and one phase. Bulk data, so what is not known is not a number
/// (NaN) here instead of an empty optional. Over the cells of a row, each column adds up to the row's figure.
struct Cell {
  std::uint32_t class_row = 0;
  std::uint32_t operator_row = 0;
  std::uint32_t layer_row = 0;
  std::uint32_t phase_row = 0;
  double launches = 0;  ///< parts of launches too: a collective may be partly exposed
  double time_s = 0;    ///< on the device
  double energy_j = 0;  ///< NaN: not measured
  double measured_s =
      0;             ///< time that it owned inside the stretch whose energy is known: energy_j over it is its power
  double flops = 0;  ///< NaN: not known
};

/// A stretch in which a row's launches ran, [start, end) in the trace's time.
struct RowSpan {
  std::uint32_t row = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct Breakdown {
  std::vector<Cell> cells;
  /// Of the rows of the views iteration and phase; by row, then by time. Stretches of a phase that are nearer to each
  /// other than can be drawn are one, so there are some thousand at most for each row.
  std::vector<RowSpan> spans;
};

}  // namespace kernwatt::run
