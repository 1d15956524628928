// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernwatt/readers/power/gpu_rows.hpp"

/// Rows of one instant that nothing tells apart but their order.
namespace kernwatt::readers {

/// Counts the rows of each instant.
class InstantGroups {
 public:
  /// The row's place among those of its instant, from 1.
  std::uint64_t place(std::int64_t ns);
  /// Whether (but for one, which the end of the log may have cut) every instant has `size` rows.
  bool all_have(std::uint64_t size) const;

 private:
  std::optional<std::int64_t> ns_;
  std::uint64_t size_ = 0;
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

/// The rows that all carry one GPU's number: of its first place, which are kept elsewhere, and of the places behind.
struct NumberedRows {
  bool by_number = false;  ///< a UUID or a bus id would not be wrong; a number may be
  InstantGroups groups;
  std::vector<GpuRows> others;
};

/// Whether the rows of the places are those of different GPUs, by their readings: they stand further apart than each
/// moves from one instant to the next, or their times have fractions of a second, of which only one poll hits one
/// twice.
bool are_different_gpus(const std::vector<GpuRows>& places, bool same_instant);

/// Numbers GPUs that have nothing but their order: nvidia-smi lists them by index.
void number_by_position(std::vector<GpuRows>& gpus);

}  // namespace kernwatt::readers
