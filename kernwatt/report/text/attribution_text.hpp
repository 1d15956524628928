// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

struct TextOptions {
  run::View view = run::View::kernel_class;
  std::size_t top = 20;     ///< rows shown; the rest is one line with their sum
  bool per_gpu = false;     ///< with several GPUs, the rows of each; else those of all together
  bool explain = false;     ///< adds the estimate that others report, and how each figure came about
  bool bars = false;        ///< bars beside the rows and power over time in a line: for terminals that show UTF-8
  bool colour = false;      ///< escape sequences for a terminal
  std::size_t width = 100;  ///< columns of a line; at least 80 are used
};

/// The attribution for people: inputs and totals, the rows of one view, what adds up to the total, then everything
/// that the reader must know about the quality of the numbers. Valid UTF-8, ends with a line break. Without energy it
/// shows time only: a joule that was not measured is not printed.
std::string attribution_text(const run::Run& run, const TextOptions& options);

}  // namespace kernwatt::report
