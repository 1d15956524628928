// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/attribution_html.hpp"

#include "kernwatt/report/html/html_document.hpp"
#include "kernwatt/report/html/series_json.hpp"
#include "kernwatt/report/json/attribution_json.hpp"

namespace kernwatt::report {
namespace {

std::string_view without_folders(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string title_of(const run::Run& run) {
  std::string title = "kernwatt";
  if (run.attribution.traces.empty()) return title;
  title += " · ";
  title += without_folders(run.attribution.traces.front().file);
  if (run.attribution.traces.size() > 1) title += " + " + std::to_string(run.attribution.traces.size() - 1);
  return title;
}

}  // namespace

std::string attribution_html(const run::Run& run) {
  return html_document(title_of(run), {{"attribution", attribution_json(run)}, {"series", series_json(run)}});
}

}  // namespace kernwatt::report
