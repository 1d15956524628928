// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/row_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <vector>

#include "apps/kernwatt/nearest_name.hpp"

namespace kernwatt::app {

Result<run::View> parse_view(const std::string& text) {
  if (const auto view = run::view_from_string(text)) return *view;
  std::vector<std::string> known;
  known.reserve(run::all_views.size());
  for (const run::View view : run::all_views) known.emplace_back(run::to_string(view));
  const std::string nearest = nearest_name(text, known);
  return Error{ErrorCode::invalid_argument,
               fmt::format("there is no view '{}'{}; the views are {}", text,
                           nearest.empty() ? "" : " (did you mean " + nearest + "?)", fmt::join(known, ", ")),
               "--by"};
}

Result<std::size_t> parse_top(const std::string& text) {
  if (text == "all") return std::numeric_limits<std::size_t>::max();
  std::size_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value > 0) return value;
  return Error{ErrorCode::invalid_argument, "'" + text + "' is not a number of rows; write 1 or more, or all", "--top"};
}

}  // namespace kernwatt::app
