// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernwatt/report/text/style.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// "  label       text", the text wrapped beside its label in a line of `width` columns.
std::string labelled(const Style& style, std::string_view label, std::string_view text, std::size_t width);

}  // namespace kernwatt::report
