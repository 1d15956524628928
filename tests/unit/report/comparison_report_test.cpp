// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "kernwatt/report/csv/comparison_csv.hpp"
#include "kernwatt/report/html/comparison_html.hpp"
#include "kernwatt/report/json/comparison_json.hpp"
#include "kernwatt/report/text/comparison_text.hpp"
#include "tests/unit/report/golden.hpp"
#include "tests/unit/report/schema_check.hpp"

namespace kernwatt::report {
namespace {

using nlohmann::json;
using run::Estimate;
using run::Interval;
using run::Match;
using run::View;
using testing::HasSubstr;

run::ComparedFigures figures(const std::string& name, double joules, double half, double seconds) {
  return {
      name, "grid 8x1x1, block 256x1x1", 96, {joules, Interval{joules - half, joules + half}}, {seconds, std::nullopt}};
}

run::Change change(double difference, double half, double before) {
  run::Change change;
  change.difference = {difference, Interval{difference - half, difference + half}};
  if (before != 0) change.relative = difference / before;
  change.certain = difference > half || -difference > half;
  return change;
}

run::ComparedRow row(View view, Match match, const std::string& before, const std::string& after, double joules,
                     double difference, double half) {
  run::ComparedRow row;
  row.view = view;
  row.match = match;
  row.category = view == View::kernel_class ? "matrix product" : "";
  if (match != Match::appeared) row.before = figures(before, joules, half / 2, 0.012);
  if (match != Match::gone) row.after = figures(after, joules + difference, half / 2, 0.011);
  row.energy_j = change(difference, half, match == Match::appeared ? 0 : joules);
  row.time_s = change(-0.001, 0, 0.012);
  return row;
}

run::Comparison sample() {
  run::Comparison comparison;
  comparison.before = {"runs/main.kw",
                       "kernwatt attribute a.json --power a.csv",
                       "0.1.0",
                       1,
                       "counter",
                       {"NVIDIA H200"},
                       2593.1,
                       3.7,
                       14,
                       32768,
                       14,
                       14};
  comparison.after = {"runs/branch</script>.kw",
                      "kernwatt attribute b.json",
                      "0.1.0",
                      2,
                      "counter",
                      {"NVIDIA H200"},
                      2300.0,
                      3.5,
                      14,
                      32768,
                      14,
                      14};
  comparison.per = run::ComparedPer::iteration;
  comparison.total.before = figures("total", 183.4, 3.6, 0.261);
  comparison.total.after = figures("total", 171.1, 3.4, 0.250);
  comparison.total.energy_j = change(-12.3, 4.9, 183.4);
  comparison.total.time_s = change(-0.011, 0, 0.261);
  comparison.rows = {
      row(View::kernel_class, Match::same, "nvjet_tst_192x192_64x4", "nvjet_tst_192x192_64x4", 90, -9.5, 3),
      row(View::kernel_class, Match::gone, "void at::native::gelu<c10::BFloat16>(int)", "", 4, -4, 0.4),
      row(View::kernel_class, Match::appeared, "", "triton_poi_fused_gelu_7", 1.5, 1.5, 0.2),
      row(View::kernel_class, Match::renumbered, "triton_poi_fused_mul_2", "triton_poi_fused_mul_3", 2, 0.05, 0.4),
      row(View::kernel_class, Match::other_shape, "flash_fwd", "flash_fwd", 20, 0.3, 0.2),
      row(View::kernel_class, Match::same_role, "cutlass_gemm", "nvjet_gemm", 40, -0.6, 0.9),
      row(View::layer, Match::same_order, "Block_0", "layers.0", 15, -1, 0.2),
  };
  comparison.quality.add("compare.renumbered", Severity::info, "generated kernels whose names differ only in numbers");
  return comparison;
}

TEST(ComparisonReport, TablesLookAsTheyDid) {
  TextOptions options;
  expect_golden("compare_class.txt", comparison_text(sample(), options));
  options.view = View::layer;
  expect_golden("compare_layer.txt", comparison_text(sample(), options));
}

TEST(ComparisonReport, TimesAloneWhereAnEnergyIsMissing) {
  run::Comparison comparison = sample();
  comparison.total.energy_j.reset();
  for (run::ComparedRow& row : comparison.rows) row.energy_j.reset();
  const std::string text = comparison_text(comparison, {});
  EXPECT_THAT(text, HasSubstr("not compared"));
  EXPECT_THAT(text, HasSubstr("-8.3 %"));
}

TEST(ComparisonReport, LinesStayWithinTheirWidth) {
  for (const std::size_t width : {80U, 100U, 160U}) {
    TextOptions options;
    options.width = width;
    std::string text = comparison_text(sample(), options);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      std::size_t columns = 0;
      for (std::size_t i = at; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80 ? 1U : 0U;
      EXPECT_LE(columns, width) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(ComparisonJson, FollowsItsSchema) {
  for (const run::Comparison& comparison : {sample(), run::Comparison()}) {
    const int status = check_schema("comparison", comparison_json(comparison, "0.1.0"));
    if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0);
  }
}

TEST(ComparisonJson, KeepsEveryNumber) {
  const run::Comparison comparison = sample();
  const json document = json::parse(comparison_json(comparison, "0.1.0"));
  EXPECT_EQ(document["total"]["energy_j"]["difference"], -12.3);
  EXPECT_EQ(document["rows"].size(), comparison.rows.size());
  EXPECT_TRUE(document["rows"][1]["after"].is_null());
  EXPECT_TRUE(document["rows"][2]["energy_j"]["relative"].is_null());
  EXPECT_EQ(document["rows"][5]["match"], "same-role");
}

TEST(ComparisonCsv, HasTheTotalAndTheRowsOfItsView) {
  const std::string text = comparison_csv(sample(), View::kernel_class);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_THAT(text, HasSubstr("\ntotal,,,total,"));
  EXPECT_THAT(text, HasSubstr("class,new,matrix product,,,,,,,,,,triton_poi_fused_gelu_7,"));
  const auto columns = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  EXPECT_EQ(columns(text.substr(0, text.find('\n'))), 30);
}

TEST(ComparisonHtml, HoldsTheDocumentAndNoNameLeavesIt) {
  const std::string html = comparison_html(sample(), "0.1.0");
  const std::string open = "<script type=\"application/json\" id=\"kernwatt-comparison\">";
  const std::size_t begin = html.find(open) + open.size();
  EXPECT_EQ(json::parse(html.substr(begin, html.find("</script>", begin) - begin)),
            json::parse(comparison_json(sample(), "0.1.0")));
}

}  // namespace
}  // namespace kernwatt::report
