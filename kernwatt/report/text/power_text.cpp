// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/power_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_sections.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

std::string quality_of(const QualityLedger& quality, const PowerTextOptions& options, const Style& style) {
  TextOptions text;
  text.width = options.width;
  return quality_section(quality, text, style, "--json has");
}

}  // namespace

std::string short_gpu_name(const run::GpuIdentity& gpu, std::string_view best_name) {
  constexpr std::size_t known_by = 12;
  const std::string host = gpu.host.empty() ? "" : printable(gpu.host) + ":";
  if (gpu.index) return host.empty() ? fmt::format("GPU {}", *gpu.index) : fmt::format("{}{}", host, *gpu.index);
  if (best_name.empty()) return "the GPU";
  const bool uuid = best_name.starts_with("GPU-") || best_name.starts_with("MIG-");
  if (uuid && best_name.size() > known_by) return printable(best_name.substr(0, known_by)) + "…";
  return uuid ? printable(best_name) : "GPU " + printable(best_name);
}

std::string short_gpu_name(const run::PowerGpu& gpu) {
  return gpu.named_by_file ? elide_middle(printable(gpu.name), 60) : short_gpu_name(gpu.gpu, gpu.name);
}

std::string short_file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  const bool has_name = slash != std::string_view::npos && slash + 1 < path.size();
  return elide_middle(printable(has_name ? path.substr(slash + 1) : path), 48);
}

std::string power_text(const run::Run& run, const run::PowerReport& report, const PowerTextOptions& options) {
  PowerTextOptions used = options;
  used.width = std::max<std::size_t>(options.width, 80);
  const Style style(used.colour);
  std::string text = power_header(run, report, used, style);
  text += power_gpu_sections(report, used, style);
  for (const std::string& section :
       {recorded_totals_section(run, used, style), supported_clocks_section(run, used, style),
        quality_of(folded_by_gpu(run.quality, report), used, style)})
    if (!section.empty()) text += "\n" + section;
  return text;
}

}  // namespace kernwatt::report
