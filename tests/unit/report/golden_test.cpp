// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "kernwatt/report/csv/attribution_csv.hpp"
#include "kernwatt/report/json/attribution_json.hpp"
#include "kernwatt/report/text/attribution_text.hpp"
#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

/// Compares with tests/golden/report/<name>, or writes it when KERNWATT_UPDATE_GOLDEN=1: then look at the difference.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KERNWATT_SOURCE_DIR) + "/tests/golden/report/" + name;
  const char* update = std::getenv("KERNWATT_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, golden) << name << ": KERNWATT_UPDATE_GOLDEN=1 accepts the change";
}

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
