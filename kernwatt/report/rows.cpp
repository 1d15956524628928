// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernwatt::report {
namespace {

/// A total order also when a value is not a number, which std::sort needs.
double sort_key(double value) { return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value; }

bool reads_before(const run::Row* a, const run::Row* b) {
  if (a->energy_j.has_value() != b->energy_j.has_value()) return a->energy_j.has_value();
  const double first = sort_key(a->energy_j.value_or(a->time_s));
  const double second = sort_key(b->energy_j.value_or(b->time_s));
  return first > second;
}

}  // namespace

bool has_flag(const run::Row& row, std::string_view flag) {
  return std::find(row.flags.begin(), row.flags.end(), flag) != row.flags.end();
}

std::vector<const run::Row*> rows_of_view(const run::Attribution& attribution, run::View view) {
  std::vector<const run::Row*> rows;
  for (const run::Row& row : attribution.rows)
    if (row.view == view) rows.push_back(&row);
  if (view != run::View::iteration) std::stable_sort(rows.begin(), rows.end(), reads_before);
  return rows;
}

}  // namespace kernwatt::report
