// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/run/comparison.hpp"

namespace kernwatt::report {

/// The rows of one view of a comparison, and the total first. Valid UTF-8; what is not known is an empty field.
std::string comparison_csv(const run::Comparison& comparison, run::View view);

}  // namespace kernwatt::report
