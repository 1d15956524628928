// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/power/power_columns.hpp"

/// The names of columns in the logs of nvidia-smi, DCGM and people's own scripts.
namespace kernwatt::readers {

/// ASCII letters made small.
std::string lower(std::string_view text);

/// A header taken apart: "gpu0_power_mW" is device "0", words "power", unit "mw".
struct HeaderName {
  std::vector<std::string> words;
  std::string unit;
  std::size_t words_before_device = 0;
  std::string device;
  /// The words joined with '_'.
  std::string base() const;
  bool has_word(std::string_view word) const;
};
HeaderName take_apart(std::string_view header);

/// `ignored` for names that mean nothing to us.
ColumnRole role_by_name(const HeaderName& name);
TimeUnit time_unit_of(std::string_view unit);
/// A unit of power, in small letters.
bool is_watt(std::string_view unit);
/// A total over several devices.
bool is_sum(const HeaderName& name);

}  // namespace kernwatt::readers
