// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/run.hpp"

namespace kernwatt::run {

/// Every field of a Run as text, written independently of the file's codec: two Runs are equal when their dumps are.
std::string dump(const Run& run);

}  // namespace kernwatt::run
