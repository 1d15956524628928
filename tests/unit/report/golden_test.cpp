// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernwatt/report/csv/attribution_csv.hpp"
#include "kernwatt/report/json/attribution_json.hpp"
#include "kernwatt/report/text/attribution_text.hpp"
#include "tests/unit/report/golden.hpp"
#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

TEST(GoldenReport, TablesLookAsTheyDid) {
  for (const run::View view : run::all_views) {
    TextOptions options;
    options.view = view;
    options.explain = view == run::View::kernel_class;
    expect_golden(std::string(run::to_string(view)) + ".txt", attribution_text(sample_run(), options));
  }
}

TEST(GoldenReport, TimeOnlyTablesLookAsTheyDid) {
  expect_golden("time_only.txt", attribution_text(sample_run_without_energy(), {}));
}

TEST(GoldenReport, JsonAndCsvAreAsTheyWere) {
  expect_golden("attribution.json", attribution_json(sample_run()));
  expect_golden("class.csv", attribution_csv(sample_run(), run::View::kernel_class));
}

}  // namespace
}  // namespace kernwatt::report
