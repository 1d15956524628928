// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/run/comparison.hpp"

namespace kernwatt::report {

/// A comparison as JSON: kind "comparison", schema 1, as docs/json.md describes it. All views, all rows.
/// `tool_version`: of the program that compared.
std::string comparison_json(const run::Comparison& comparison, std::string_view tool_version);

}  // namespace kernwatt::report
