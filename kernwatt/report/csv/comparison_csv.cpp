// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/csv/comparison_csv.hpp"

#include "kernwatt/report/csv/csv_line.hpp"

namespace kernwatt::report {
namespace {

void add_figures(CsvLine& line, const std::optional<run::ComparedFigures>& figures) {
  line.add(std::string_view(figures ? figures->name : ""));
  line.add(std::string_view(figures ? figures->detail : ""));
  line.add(figures ? std::optional(figures->launches) : std::nullopt);
  line.add(figures ? figures->energy_j.value : std::nullopt);
  line.add(figures ? figures->energy_j.ci95 : std::nullopt);
  line.add(figures ? figures->time_s.value : std::nullopt);
  line.add(figures ? figures->time_s.ci95 : std::nullopt);
}

void add_change(CsvLine& line, const std::optional<run::Change>& change) {
  line.add(change ? change->difference.value : std::nullopt);
  line.add(change ? change->difference.ci95 : std::nullopt);
  line.add(change ? change->relative : std::nullopt);
  line.add(std::string_view(!change ? "" : change->certain ? "yes" : "no"));
}

void write_row(std::string& out, std::string_view view, std::string_view match, const run::ComparedRow& row) {
  CsvLine line(out);
  line.add(view);
  line.add(match);
  line.add(std::string_view(row.category));
  add_figures(line, row.before);
  add_figures(line, row.after);
  add_change(line, row.energy_j);
  add_change(line, row.time_s);
}

}  // namespace

std::string comparison_csv(const run::Comparison& comparison, run::View view) {
  std::string out = "view,match,category";
  for (const std::string side : {"before_", "after_"})
    for (const char* column : {"name", "detail", "launches", "energy_j", "energy_ci95_low_j", "energy_ci95_high_j",
                               "time_s", "time_ci95_low_s", "time_ci95_high_s"})
      out += "," + side + column;
  out +=
      ",energy_difference_j,energy_difference_ci95_low_j,energy_difference_ci95_high_j,energy_relative,energy_certain,"
      "time_difference_s,time_difference_ci95_low_s,time_difference_ci95_high_s,time_relative,time_certain\n";
  write_row(out, "total", "", comparison.total);
  for (const run::ComparedRow& row : comparison.rows)
    if (row.view == view) write_row(out, run::to_string(view), run::to_string(row.match), row);
  return out;
}

}  // namespace kernwatt::report
