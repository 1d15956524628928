// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernwatt/run/attribution.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// The rows of a view, as the table shows them.
struct ShownRows {
  std::vector<const run::Row*> top;   ///< shown one by one
  std::vector<const run::Row*> rest;  ///< shown as one line
  std::vector<const run::Row*> idle;  ///< the parts of the idle energy, if the view has rows for them
};

ShownRows shown_rows(const run::Attribution& attribution, run::View view, std::size_t top);

/// "GPU 3", "GPU-af7b1c2d…": the first group of a UUID is enough to know it by.
std::string short_gpu_name(const std::string& name);

/// "rank 1, GPU 0: " where rows of several GPUs are mixed; else nothing.
std::string origin_of(const run::Attribution& attribution, const run::Row& row);

/// Labels for these rows, no two the same, with the GPU and the rank in front where rows of several are mixed;
/// `room[i]` columns for row i.
std::vector<std::string> labels_of(const run::Attribution& attribution, const std::vector<const run::Row*>& rows,
                                   const std::vector<std::size_t>& room);

}  // namespace kernwatt::report
