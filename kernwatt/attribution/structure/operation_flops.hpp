// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kernwatt::attribution {

using Shape = std::vector<std::int64_t>;

/// "[[8192,2048],[2048,6144],[]]" -> shapes; scalars and lists of tensors become empty shapes. Empty if it is no JSON.
std::vector<Shape> parse_shapes(std::string_view json);

struct OperationFlops {
  double flops = 0;
  bool is_attention = false;
  bool is_square = false;  ///< attention with as many queries as keys: a causal mask halves it
};

/// Floating-point operations of one call, an addition and a multiplication counted each. Empty for operators that are
/// neither matrix products nor attention, and where the shapes do not tell (convolutions: stride and padding are not
/// shapes; attention over packed sequences; grouped products). Formulas: docs/method.md, section "FLOPs".
std::optional<OperationFlops> flops_of_operation(std::string_view op, std::span<const Shape> shapes);

/// True if the kernel's name says that it masks what lies in the future: "…Causal…", or FlashAttention's template
/// argument Is_causal.
bool says_causal(std::string_view kernel_name);

}  // namespace kernwatt::attribution
