// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// What the power chart draws: the readings of each GPU, the reasons why its clocks were held down, and when the
/// program's iterations and phases ran. Kind "series"; page/src/series.ts is its only reader.
std::string series_json(const run::Run& run);

}  // namespace kernwatt::report
