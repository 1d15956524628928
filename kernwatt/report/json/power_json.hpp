// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/power_report.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// Power logs as the JSON document that docs/json.md specifies: kind "power", schema 1. Valid UTF-8, numbers finite,
/// what was not measured null. `run` has the logs, their summaries and the ledger.
std::string power_json(const run::Run& run, const run::PowerReport& report);

}  // namespace kernwatt::report
