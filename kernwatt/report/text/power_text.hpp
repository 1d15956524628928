// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "kernwatt/run/power_report.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

struct PowerTextOptions {
  bool colour = false;      ///< escape sequences for a terminal
  bool utf8 = true;         ///< block characters for the power over time; ASCII marks otherwise
  std::size_t width = 100;  ///< columns of a line; at least 80 are used
};

/// Power logs for people: the logs, the energy, each GPU with its power over time and its phases, recorded totals and
/// supported clocks, then what the reader must know about the quality of the numbers. Valid UTF-8, ends with a line
/// break. `run` has the logs and the ledger.
std::string power_text(const run::Run& run, const run::PowerReport& report, const PowerTextOptions& options);

}  // namespace kernwatt::report
