// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/attribution.hpp"

namespace kernwatt::app {

/// The value of --by: a view, or the nearest one as a hint. Errors: invalid_argument.
Result<run::View> parse_view(const std::string& text);

/// The value of --top: how many rows; "all" is any number. Errors: invalid_argument.
Result<std::size_t> parse_top(const std::string& text);

}  // namespace kernwatt::app
