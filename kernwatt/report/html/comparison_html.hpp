// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/run/comparison.hpp"

namespace kernwatt::report {

/// A comparison as one HTML file that needs nothing else. It holds the document that comparison_json writes.
std::string comparison_html(const run::Comparison& comparison, std::string_view tool_version);

}  // namespace kernwatt::report
