// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::readers {

enum class KernelField : std::uint8_t {
  name,
  category,
  start,
  duration,
  end,
  stream,
  grid,
  block,
  device,
  context,
  correlation,
  registers,
  shared_memory,
  iteration,
  operator_,
  range,
  phase
};
inline constexpr std::size_t kernel_field_count = 17;

/// Where each field stands in a row.
class KernelColumns {
 public:
  /// Errors: bad_data when name or start, or both duration and end, are missing.
  static Result<KernelColumns> from_header(std::span<const std::string_view> header);
  bool has(KernelField field) const { return position_[static_cast<std::size_t>(field)] >= 0; }
  /// The cell of a field, trimmed; empty when the row or the table lacks it.
  std::string_view cell(std::span<const std::string_view> row, KernelField field) const;
  std::size_t width() const { return width_; }

 private:
  std::array<std::ptrdiff_t, kernel_field_count> position_{};
  std::size_t width_ = 0;
};

/// "8192x1x1", "8192,1,1", "(8192, 1, 1)", "[8192,1,1]" or "8192"; empty for anything else.
std::optional<run::Dim3> parse_dim3(std::string_view text);

/// From the category column ("kernel", "gpu_memcpy", "Memset"), or where there is none from the name.
run::LaunchKind kind_of(std::string_view category, std::string_view name);

}  // namespace kernwatt::readers
