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
  phase,
  grid_x,
  grid_y,
  grid_z,
  block_x,
  block_y,
  block_z
};
inline constexpr std::size_t kernel_field_count = 23;

/// The fields that together say the shape of a launch.
inline constexpr std::array shape_fields{
    KernelField::grid,   KernelField::block,  KernelField::registers, KernelField::shared_memory, KernelField::grid_x,
    KernelField::grid_y, KernelField::grid_z, KernelField::block_x,   KernelField::block_y,       KernelField::block_z};

/// Where each field stands in a row.
class KernelColumns {
 public:
  /// Errors: bad_data when name or start, or both duration and end, are missing.
  static Result<KernelColumns> from_header(std::span<const std::string_view> header);
  bool has(KernelField field) const { return position_[static_cast<std::size_t>(field)] >= 0; }
  /// Whether the header is one of `nsys stats` or nvprof, whose columns are named otherwise than ours.
  bool of_nsys() const { return of_nsys_; }
  /// nvprof has the units in a row under the header. True if the row is one; its units hold from then on.
  bool take_units(std::span<const std::string_view> row);
  /// Whether the unit of the times is known.
  bool has_units() const;
  /// A time in a row, in nanoseconds; empty when it is no number or does not fit.
  std::optional<std::int64_t> nanoseconds(std::span<const std::string_view> row, KernelField field) const;
  std::optional<run::Dim3> grid(std::span<const std::string_view> row) const;
  std::optional<run::Dim3> block(std::span<const std::string_view> row) const;
  /// The cell of a field, trimmed; empty when the row or the table lacks it.
  std::string_view cell(std::span<const std::string_view> row, KernelField field) const;
  std::size_t width() const { return width_; }

 private:
  std::optional<run::Dim3> dimensions(std::span<const std::string_view> row, KernelField all, KernelField first) const;

  /// Powers of ten between a time's unit and nanoseconds; by field, of which start, duration and end count.
  std::array<std::optional<int>, kernel_field_count> decimals_{};
  bool of_nsys_ = false;
  std::array<std::ptrdiff_t, kernel_field_count> position_{};
  std::size_t width_ = 0;
};

/// "8192x1x1", "8192,1,1", "(8192, 1, 1)", "[8192,1,1]" or "8192"; empty for anything else.
std::optional<run::Dim3> parse_dim3(std::string_view text);

/// From the category column ("kernel", "gpu_memcpy", "Memset"), or where there is none from the name.
run::LaunchKind kind_of(std::string_view category, std::string_view name);

}  // namespace kernwatt::readers
