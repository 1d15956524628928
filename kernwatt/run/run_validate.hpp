// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/run.hpp"

/// Private to this folder.
namespace kernwatt::run {

/// Every index of a Run that came from outside points at something, so that the code behind need not ask again.
/// Errors: bad_data, naming the table.
Status validate(const Run& run);

}  // namespace kernwatt::run
