// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/power_report.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// Writes the Run as a trace that ui.perfetto.dev and chrome://tracing open (Chrome trace event format): a process per
/// GPU, a thread per stream with its launches and their joules, counters of power, clocks, temperature and energy,
/// phases and iterations. Without kept launches the canonical iteration stands in, once. Piece by piece: a million
/// launches take no more memory than a thousand. `power`: phases of power logs, shown when there is no trace; may be
/// null. Errors: those of `sink`. An energy of a launch is its class's power times its duration (docs/cli/export.md).
Status write_perfetto(const run::Run& run, const run::PowerReport* power,
                      const std::function<Status(std::string_view)>& sink);

}  // namespace kernwatt::report
