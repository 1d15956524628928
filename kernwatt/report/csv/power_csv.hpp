// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/power_report.hpp"

namespace kernwatt::report {

/// Each GPU as one row and each of its phases as one below it, with a header line; empty cells for what was not
/// measured.
std::string power_csv(const run::PowerReport& report);

}  // namespace kernwatt::report
