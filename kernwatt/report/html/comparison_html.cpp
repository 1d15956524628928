// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/comparison_html.hpp"

#include "kernwatt/report/html/html_document.hpp"
#include "kernwatt/report/json/comparison_json.hpp"

namespace kernwatt::report {

std::string comparison_html(const run::Comparison& comparison, std::string_view tool_version) {
  const auto name = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  return html_document("kernwatt · " + name(comparison.before.file) + " → " + name(comparison.after.file),
                       {{"comparison", comparison_json(comparison, tool_version)}});
}

}  // namespace kernwatt::report
