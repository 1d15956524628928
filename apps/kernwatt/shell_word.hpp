// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kernwatt::app {

/// The word as a POSIX shell would take it back: plain where it can be, in quotes otherwise.
std::string shell_word(std::string_view word);

}  // namespace kernwatt::app
