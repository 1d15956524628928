// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {

/// Ordered: the first match decides. Patterns are in lower case.
std::span<const NameRule<Category>> category_rules();

/// Which collective a communication kernel performs.
std::span<const NameRule<std::string_view>> collective_rules();

}  // namespace kernwatt::attribution
