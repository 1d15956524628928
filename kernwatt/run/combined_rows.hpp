// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernwatt/run/attribution.hpp"

namespace kernwatt::run {

/// The rows of all GPUs together: those that agree in view, name, detail and in how they are told apart (exposed,
/// waiting, idle …) become one, with the id of the first, without gpu and rank, in order of first appearance. Energies,
/// times and launches add up; powers are means over the time on the device. The GPUs' errors are taken to point one
/// way, as those of one kind of sensor do, so half-widths add up too. A row that has no energy on some GPUs carries the
/// flag "partial". Empty for one GPU: its rows are those of the attribution. Pure; any thread.
std::vector<Row> combined_rows(const Attribution& attribution);

}  // namespace kernwatt::run
