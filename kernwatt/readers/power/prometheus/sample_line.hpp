// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "kernwatt/readers/power/prometheus/metric_name.hpp"

namespace kernwatt::readers {

/// One line of the exposition format, taken apart.
struct SampleLine {
  std::string_view name;
  std::string_view series;  ///< name and labels as written: equal for the same series
  Labels labels;            ///< with their escapes undone
  std::string_view value;
  std::string_view time;  ///< empty when the line has none
};

/// Empty when the line is no sample. Blanks are allowed before the name and between labels.
std::optional<SampleLine> parse_sample_line(std::string_view line);

}  // namespace kernwatt::readers
