// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernwatt::readers::assembly {

/// Whether a range is the PyTorch profiler's own mark of an iteration: "ProfilerStep#7".
bool is_profiler_step(std::string_view name);

/// For a range that counts iterations by its name ("iteration 5", "step_3", "Iter: 12", "train step 7"): the name
/// without its number, in small letters ("train step"). Empty for any other name.
std::optional<std::string> iteration_family(std::string_view name);

}  // namespace kernwatt::readers::assembly
