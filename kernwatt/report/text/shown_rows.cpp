// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/shown_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernwatt/report/rows.hpp"
#include "kernwatt/report/text/row_label.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {

std::string short_gpu_name(const std::string& name) {
  constexpr std::size_t known_by = 12;
  if (name.starts_with("GPU ") || name.starts_with("the ")) return printable(name);
  if (!name.starts_with("GPU-")) return "GPU " + printable(name);
  return name.size() > known_by ? printable(name.substr(0, known_by)) + "…" : printable(name);
}

std::string origin_of(const run::Attribution& attribution, const run::Row& row) {
  std::string origin;
  if (row.rank && attribution.traces.size() > 1) origin = fmt::format("rank {}", *row.rank);
  const bool known = row.gpu && static_cast<std::size_t>(*row.gpu) < attribution.gpus.size();
  if (known && attribution.gpus.size() > 1) {
    if (!origin.empty()) origin += ", ";
    origin += short_gpu_name(attribution.gpus[static_cast<std::size_t>(*row.gpu)].gpu);
  }
  return origin.empty() ? origin : origin + ": ";
}

ShownRows shown_rows(const run::Attribution& attribution, run::View view, std::size_t top) {
  const std::vector<const run::Row*> rows = rows_of_view(attribution, view);
  ShownRows shown;
  for (const run::Row* row : rows) {
    if (has_flag(*row, "unattributed")) continue;  // a line below the rows, from the account
    if (has_flag(*row, "idle")) {
      shown.idle.push_back(row);
    } else {
      (shown.top.size() < top ? shown.top : shown.rest).push_back(row);
    }
  }
  if (shown.rest.size() == 1) {  // "… and 1 more" would take the same line
    shown.top.push_back(shown.rest.back());
    shown.rest.clear();
  }
  // Layers and iterations are read in the order of the program; which are the largest has been decided.
  if (view == run::View::layer || view == run::View::iteration)
    std::sort(shown.top.begin(), shown.top.end(), [](const run::Row* a, const run::Row* b) { return a->id < b->id; });
  return shown;
}

std::vector<std::string> labels_of(const run::Attribution& attribution, const std::vector<const run::Row*>& rows,
                                   const std::vector<std::size_t>& room) {
  std::vector<NamedRow> named;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const run::Row& row = *rows[i];
    const std::string origin = origin_of(attribution, row);
    const std::string name = row.view == run::View::kernel_class ? readable_kernel_name(row.name) : row.name;
    named.push_back({origin + printable(name), printable(row.name), printable(row.detail), row.id, room[i]});
  }
  return distinct_labels(named);
}

}  // namespace kernwatt::report
