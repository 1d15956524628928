// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// The attribution as JSON: kind "attribution", schema 1, as docs/json.md describes it. All views, all rows. Valid
/// UTF-8; numbers are finite and read back as the same doubles; what was not measured is null.
std::string attribution_json(const run::Run& run);

}  // namespace kernwatt::report
