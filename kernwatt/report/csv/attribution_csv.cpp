// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/csv/attribution_csv.hpp"

#include <fmt/format.h>

#include <string_view>

#include "kernwatt/report/csv/csv_line.hpp"
#include "kernwatt/report/rows.hpp"

namespace kernwatt::report {
namespace {

void write_row(std::string& out, const run::Row& row) {
  CsvLine line(out);
  line.add(run::to_string(row.view));
  line.add(row.id);
  line.add(row.parent);
  line.add(row.gpu);
  line.add(row.rank);
  line.add(std::string_view(row.name));
  line.add(std::string_view(row.detail));
  line.add(row.launches);
  line.add(row.time_s);
  line.add(row.energy_j);
  line.add(row.energy_ci95_j);
  line.add(row.power_w);
  line.add(row.power_ci95_w);
  line.add(row.power_at_reference_w);
  line.add(row.power_at_reference_ci95_w);
  line.add(row.share_of_total);
  line.add(row.flops);
  line.add(row.j_per_flop);
  line.add(std::string_view(fmt::format("{}", fmt::join(row.flags, ";"))));
}

}  // namespace

std::string attribution_csv(const run::Run& run, run::View view) {
  std::string out =
      "view,id,parent,gpu,rank,name,detail,launches,time_s,energy_j,energy_ci95_low_j,energy_ci95_high_j,power_w,"
      "power_ci95_low_w,power_ci95_high_w,power_at_reference_w,power_at_reference_ci95_low_w,"
      "power_at_reference_ci95_high_w,share_of_total,flops,j_per_flop,flags\n";
  for (const run::Row* row : rows_of_view(run.attribution, view)) write_row(out, *row);
  return out;
}

}  // namespace kernwatt::report
