// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// The attribution as one HTML file that needs nothing else: no network, no server. It holds the document that
/// attribution_json writes, the readings of the power logs (all of them up to about a million, else the smallest and
/// the largest of each bucket), and the page that draws them. Valid UTF-8; names of unknown origin cannot leave their
/// string.
std::string attribution_html(const run::Run& run);

}  // namespace kernwatt::report
