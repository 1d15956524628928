// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernwatt/run/run.hpp"

namespace kernwatt::run {

/// A Run with every field filled by chance (empty ones too, texts with NULs and broken UTF-8, extreme numbers) whose
/// indices are sound. The same seed gives the same Run.
Run random_run(std::uint32_t seed);

}  // namespace kernwatt::run
