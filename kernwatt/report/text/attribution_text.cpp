// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/attribution_text.hpp"

#include <algorithm>

#include "kernwatt/report/text/sections.hpp"

namespace kernwatt::report {

std::string attribution_text(const run::Run& run, const TextOptions& options) {
  TextOptions used = options;
  used.width = std::max<std::size_t>(options.width, 80);
  const Style style(used.colour);
  std::string text = header_section(run, used, style);
  text += "\n" + rows_section(run, used, style);
  if (used.explain) text += "\n" + explain_section(run, used, style);
  const std::string quality = quality_section(run.quality, used, style, "--explain prints");
  if (!quality.empty()) text += "\n" + quality;
  return text;
}

}  // namespace kernwatt::report
