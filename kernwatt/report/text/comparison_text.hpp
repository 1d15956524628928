// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/report/text/attribution_text.hpp"
#include "kernwatt/run/comparison.hpp"

namespace kernwatt::report {

/// A comparison for people: what was compared and by what it was divided, the totals, the rows of one view that changed
/// most, and what the reader must know of its quality. Of the options: view, top, colour, width.
std::string comparison_text(const run::Comparison& comparison, const TextOptions& options);

}  // namespace kernwatt::report
