// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernwatt/readers/power/power_table.hpp"

namespace kernwatt::readers {

/// nvidia-smi without index or uuid prints, per poll, one row for each GPU, some milliseconds apart: bursts of n rows.
/// Where every burst of the rows has the same size n >= 2 and its readings differ, gives the n GPUs, by their place in
/// the burst; otherwise the rows as they came. Precondition: rows of a log that names no GPU, or (`named`) that names
/// one in all its rows by a number, which only the readings can prove wrong.
std::vector<GpuRows> split_bursts(GpuRows rows, bool named);

}  // namespace kernwatt::readers
