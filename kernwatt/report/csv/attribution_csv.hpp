// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// All rows of one view as CSV (RFC 4180 quoting, lines end with LF), largest energy first. The header names each
/// column with its unit; a cell is empty where nothing was measured; flags are separated by ";".
std::string attribution_csv(const run::Run& run, run::View view);

}  // namespace kernwatt::report
