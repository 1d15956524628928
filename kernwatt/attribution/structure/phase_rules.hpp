// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/kernel_name.hpp"

/// What names tell about the phase: names of ranges and operators, which the user or the framework chose to say it,
/// and names of kernels, from which it can only be guessed.
namespace kernwatt::attribution {

/// "forward", "Optimizer.step#AdamW.step", "execute_context_0(0)_generation_32(32)", "step[DECODE bs=32]", …
/// Words must stand alone: FeedForward is a module. A range that names both passes decides nothing.
std::optional<Phase> phase_of_range(std::string_view range);

/// "aten::native_layer_norm_backward", "aten::_fused_adamw_".
std::optional<Phase> phase_of_operator(std::string_view op);

/// A copy between host and device, or between devices: its own phase. A copy within a device belongs to its pass.
bool crosses_the_bus(std::string_view copy_name);

/// A place in the order of a program, recognised by the name of a kernel.
enum class PassMark : std::uint8_t {
  none,
  start,     ///< embedding look-up: a model's first kernel
  loss,      ///< last of the forward pass
  backward,  ///< belongs to the backward pass, whatever came before
  prefill,   ///< attention over whole prompts
  decode     ///< attention of one new token per sequence
};
PassMark pass_mark_of(const KernelName& name);

}  // namespace kernwatt::attribution
