// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernwatt::readers {

/// Reads the bytes as a power log of one format (empty: told by the content) and aborts when the result is not what
/// every log must be: series in order of time, powers that a board can have, counts that fit.
void fuzz_power(const std::uint8_t* data, std::size_t size, std::string_view format);

}  // namespace kernwatt::readers
