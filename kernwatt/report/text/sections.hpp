// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/report/text/attribution_text.hpp"
#include "kernwatt/report/text/style.hpp"
#include "kernwatt/run/run.hpp"

/// The parts of attribution_text, from top to bottom. Each ends with a line break or is empty. Private to this folder.
namespace kernwatt::report {

/// Inputs, window, energy, idle power, iterations.
std::string header_section(const run::Run& run, const TextOptions& options, const Style& style);

/// The rows of the view, the sum of those not shown, and the lines that add up to the total.
std::string rows_section(const run::Run& run, const TextOptions& options, const Style& style);

/// Our figures beside mean power x time share, each with the sentence how it came about.
std::string explain_section(const run::Run& run, const TextOptions& options, const Style& style);

/// Warnings and errors of the quality ledger, worst first; notes too with `explain`, else in one line that says where
/// they are: `notes_are` is "--explain prints" or the like.
std::string quality_section(const QualityLedger& quality, const TextOptions& options, const Style& style,
                            std::string_view notes_are);

}  // namespace kernwatt::report
