// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernwatt/attribution/compare/match_rows.hpp"

namespace kernwatt::attribution {
namespace {

using run::Match;
using testing::HasSubstr;

struct Kernel {
  std::string name;
  double joules;  ///< per iteration
  double seconds = 0.01;
  std::uint64_t launches = 4;  ///< per iteration
  std::string category = "matrix product";
  std::string detail = "grid 8x1x1, block 256x1x1";
};

/// A Run of so many iterations, whose readings cover all of it.
run::Run recorded(const std::vector<Kernel>& kernels, std::uint64_t iterations, double relative_half = 0.02) {
  run::Run run;
  run::Attribution& result = run.attribution;
  const auto n = static_cast<double>(iterations);
  double per_iteration_j = 0;
  double per_iteration_s = 0;
  for (const Kernel& k : kernels) {
    per_iteration_j += k.joules;
    per_iteration_s += k.seconds;
  }
  const auto add = [&](run::View view, const std::string& name, double joules, double seconds) -> run::Row& {
    run::Row& row = result.rows.emplace_back();
    row.id = static_cast<std::uint32_t>(result.rows.size() - 1);
    row.view = view;
    row.gpu = 0;
    row.name = name;
    row.energy_j = joules;
    row.energy_ci95_j = run::Interval{joules * (1 - relative_half), joules * (1 + relative_half)};
    row.time_s = seconds;
    row.share_of_total = joules / (per_iteration_j * n);
    return row;
  };
  for (const Kernel& k : kernels) {
    const std::uint32_t category = add(run::View::category, k.category, k.joules * n, k.seconds * n).id;
    run::Row& row = add(run::View::kernel_class, k.name, k.joules * n, k.seconds * n);
    row.parent = category;
    row.detail = k.detail;
    row.launches = k.launches * iterations;
  }
  for (std::uint64_t i = 0; i < iterations; ++i)
    add(run::View::iteration, "step " + std::to_string(i), per_iteration_j, per_iteration_s);
  result.iterations = {iterations,
                       "marks",
                       per_iteration_s,
                       per_iteration_j,
                       run::Interval{per_iteration_j * (1 - relative_half), per_iteration_j * (1 + relative_half)},
                       std::nullopt};
  result.total.source = "counter";
  result.total.total_j = per_iteration_j * n;
  result.gpus = {result.total};
  return run;
}

run::Comparison compared(const run::Run& before, const run::Run& after) {
  Result<run::Comparison> result = compare(before, after, {"a.kw", "b.kw", false});
  EXPECT_TRUE(result) << result.error().text();
  return *result;
}

const run::ComparedRow& class_row(const run::Comparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const run::ComparedRow& row) {
    return row.view == run::View::kernel_class &&
           ((row.before && row.before->name == name) || (row.after && row.after->name == name));
  });
  EXPECT_NE(found, comparison.rows.end()) << name;
  return *found;
}

TEST(Compare, DividesByIterationsWhenTheRecordingsDifferInLength) {
  const run::Comparison comparison = compared(recorded({{"gemm", 10}}, 20), recorded({{"gemm", 11}}, 50));
  EXPECT_EQ(comparison.per, run::ComparedPer::iteration);
  const run::ComparedRow& gemm = class_row(comparison, "gemm");
  EXPECT_NEAR(*gemm.before->energy_j.value, 10, 1e-9);
  EXPECT_NEAR(*gemm.after->energy_j.value, 11, 1e-9);
  EXPECT_NEAR(*gemm.energy_j->difference.value, 1, 1e-9);
  EXPECT_NEAR(*gemm.energy_j->relative, 0.1, 1e-9);
  EXPECT_NEAR(*gemm.time_s->difference.value, 0, 1e-12);
  EXPECT_NEAR(gemm.after->launches, 4, 1e-9);
}

TEST(Compare, IntervalOfADifferenceIsThatOfTwoIndependentFigures) {
  const run::Comparison comparison = compared(recorded({{"gemm", 10}}, 20), recorded({{"gemm", 11}}, 20));
  const run::Estimate& difference = class_row(comparison, "gemm").energy_j->difference;
  const double half = std::hypot(0.2, 0.22);
  EXPECT_NEAR(difference.ci95->low, 1 - half, 1e-9);
  EXPECT_NEAR(difference.ci95->high, 1 + half, 1e-9);
  EXPECT_TRUE(class_row(comparison, "gemm").energy_j->certain);
  const run::Comparison same = compared(recorded({{"gemm", 10}}, 20), recorded({{"gemm", 10.1}}, 20));
  EXPECT_FALSE(class_row(same, "gemm").energy_j->certain);
}

TEST(Compare, TotalIsAnIterationWithItsInterval) {
  const run::Comparison comparison =
      compared(recorded({{"gemm", 10}, {"copy", 2}}, 20), recorded({{"gemm", 9}, {"copy", 2}}, 30));
  EXPECT_NEAR(*comparison.total.before->energy_j.value, 12, 1e-9);
  EXPECT_NEAR(*comparison.total.energy_j->relative, -1.0 / 12, 1e-9);
  EXPECT_TRUE(comparison.total.energy_j->difference.ci95);
}

TEST(Compare, DividesByTokensWhenIterationsHoldDifferentNumbersOfThem) {
  run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run after = recorded({{"gemm", 20}}, 20);
  before.attribution.iterations.tokens_per_joule = 100;  // 1000 tokens
  after.attribution.iterations.tokens_per_joule = 110;   // 2200 tokens
  const run::Comparison comparison = compared(before, after);
  EXPECT_EQ(comparison.per, run::ComparedPer::token);
  EXPECT_NEAR(*comparison.total.before->energy_j.value, 0.01, 1e-9);
  EXPECT_NEAR(*comparison.total.energy_j->relative, 100.0 / 110 - 1, 1e-9);
  EXPECT_NEAR(*class_row(comparison, "gemm").energy_j->relative, 100.0 / 110 - 1, 1e-9);
}

TEST(Compare, SaysThatRecordingsWithoutIterationsDifferInLength) {
  run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run after = recorded({{"gemm", 10}}, 20);
  for (run::Run* run : {&before, &after}) {
    run->attribution.iterations = {};
    run->attribution.traces.emplace_back().start_ns = 0;
  }
  before.attribution.traces[0].end_ns = 1'000'000'000;
  after.attribution.traces[0].end_ns = 2'000'000'000;
  const run::Comparison comparison = compared(before, after);
  EXPECT_EQ(comparison.per, run::ComparedPer::recording);
  EXPECT_TRUE(comparison.quality.contains("compare.not-normalised"));
  EXPECT_NEAR(*comparison.total.time_s->relative, 1, 1e-9);
}

TEST(Compare, ReadingsThatCoverAPartDivideEnergiesByThatPart) {
  run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run after = recorded({{"gemm", 10}}, 20);
  run::Attribution& result = after.attribution;
  result.traces.push_back({});
  result.traces[0].start_ns = 0;
  result.traces[0].end_ns = 200'000'000;
  result.total.start_ns = 0;
  result.total.end_ns = 100'000'000;
  for (run::Row& row : result.rows)
    if (row.view != run::View::iteration) *row.energy_j /= 2;
  result.breakdown.cells.push_back({1, 1, 1, 1, 80, 0.2, 100, 0.1, 0});
  const run::Comparison comparison = compared(before, after);
  EXPECT_NEAR(*class_row(comparison, "gemm").energy_j->relative, 0, 1e-9);
}

TEST(Compare, RefusesToMixSourcesWithoutBeingAsked) {
  const run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run after = recorded({{"gemm", 10}}, 20);
  after.attribution.total.source = "power, interpolated at the ends";
  const Result<run::Comparison> refused = compare(before, after, {"a.kw", "b.kw", false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().text(), HasSubstr("--allow-mixed-sources"));
  const Result<run::Comparison> allowed = compare(before, after, {"a.kw", "b.kw", true});
  ASSERT_TRUE(allowed);
  EXPECT_TRUE(allowed->quality.contains("compare.mixed-sources"));
  after.attribution.total.source = "counter, interpolated at the ends";
  EXPECT_TRUE(compare(before, after, {"a.kw", "b.kw", false}));
}

TEST(Compare, WithoutEnergyOnOneSideComparesTimes) {
  const run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run after = recorded({{"gemm", 10, 0.02}}, 20);
  after.attribution.total = {};
  after.attribution.total.source = "none";
  for (run::Row& row : after.attribution.rows) row.energy_j.reset();
  after.attribution.iterations.energy_j.reset();
  const run::Comparison comparison = compared(before, after);
  EXPECT_FALSE(comparison.total.energy_j);
  EXPECT_TRUE(comparison.quality.contains("compare.time-only"));
  EXPECT_NEAR(*comparison.total.time_s->relative, 1, 1e-9);
  EXPECT_FALSE(class_row(comparison, "gemm").energy_j);
}

TEST(Compare, NewAndGoneClassesCountInFull) {
  const run::Comparison comparison =
      compared(recorded({{"gemm", 10}, {"gelu", 2, 0.002, 3, "element-wise"}}, 20),
               recorded({{"gemm", 10}, {"fused_attention", 5, 0.004, 7, "attention"}}, 20));
  EXPECT_EQ(class_row(comparison, "gelu").match, Match::gone);
  EXPECT_NEAR(*class_row(comparison, "gelu").energy_j->difference.value, -2, 1e-9);
  EXPECT_EQ(class_row(comparison, "fused_attention").match, Match::appeared);
  EXPECT_FALSE(class_row(comparison, "fused_attention").energy_j->relative);
}

TEST(Compare, LargestChangeComesFirst) {
  const run::Comparison comparison =
      compared(recorded({{"a", 10}, {"b", 10}, {"c", 10}}, 20), recorded({{"a", 10.1}, {"b", 7}, {"c", 11}}, 20));
  ASSERT_EQ(comparison.rows[0].view, run::View::kernel_class);
  EXPECT_EQ(comparison.rows[0].before->name, "b");
  EXPECT_EQ(comparison.rows[1].before->name, "c");
}

TEST(Compare, RowsOfSeveralGpusAreOne) {
  run::Run before = recorded({{"gemm", 10}}, 20);
  run::Run twice = recorded({{"gemm", 10}}, 20);
  const std::size_t rows = twice.attribution.rows.size();
  for (std::size_t i = 0; i < rows; ++i) {
    run::Row row = twice.attribution.rows[i];
    row.id += static_cast<std::uint32_t>(rows);
    if (row.parent) *row.parent += static_cast<std::uint32_t>(rows);
    row.gpu = 1;
    twice.attribution.rows.push_back(row);
  }
  twice.attribution.gpus.push_back(twice.attribution.gpus[0]);
  twice.attribution.iterations.energy_j = 20;
  const run::Comparison comparison = compared(before, twice);
  EXPECT_NEAR(*class_row(comparison, "gemm").after->energy_j.value, 20, 1e-9);
}

std::vector<SideRow> rows(const std::vector<Kernel>& kernels) {
  std::vector<SideRow> rows;
  for (const Kernel& k : kernels) {
    SideRow& row = rows.emplace_back();
    row.name = k.name;
    row.detail = k.detail;
    row.category = k.category;
    row.launches = static_cast<double>(k.launches);
    row.share = k.joules / 100;
  }
  return rows;
}

/// "a=b" with the sign of the match, sorted by the first.
std::vector<std::string> matched(const std::vector<Kernel>& before, const std::vector<Kernel>& after) {
  const std::vector<SideRow> mine = rows(before);
  const std::vector<SideRow> theirs = rows(after);
  std::vector<std::string> out;
  for (const RowPair& pair : match_classes(mine, theirs, 1))
    out.push_back((pair.before ? std::to_string(*pair.before) : "-") + "=" +
                  (pair.after ? std::to_string(*pair.after) : "-") + " " + std::string(run::to_string(pair.match)));
  std::sort(out.begin(), out.end());
  return out;
}

using testing::ElementsAre;

TEST(MatchClasses, SameNameAndShapeFirst) {
  EXPECT_THAT(matched({{"k", 1, 1, 4, "copy", "grid 1"}, {"k", 1, 1, 4, "copy", "grid 2"}},
                      {{"k", 1, 1, 4, "copy", "grid 2"}, {"k", 1, 1, 4, "copy", "grid 1"}}),
              ElementsAre("0=1 same", "1=0 same"));
}

TEST(MatchClasses, SameNameWithAnotherShape) {
  EXPECT_THAT(matched({{"k", 1, 1, 4, "copy", "grid 1"}}, {{"k", 1, 1, 4, "copy", "grid 9"}}),
              ElementsAre("0=0 other-shape"));
}

TEST(MatchClasses, SeveralShapesAreToldApartByTheirLaunchesOnly) {
  EXPECT_THAT(matched({{"k", 1, 1, 4, "copy", "grid 1"}, {"k", 1, 1, 8, "copy", "grid 2"}},
                      {{"k", 1, 1, 8, "copy", "grid 3"}, {"k", 1, 1, 4, "copy", "grid 4"}}),
              ElementsAre("0=1 other-shape", "1=0 other-shape"));
  EXPECT_THAT(matched({{"k", 40, 1, 4, "copy", "grid 1"}, {"k", 1, 1, 4, "copy", "grid 2"}},
                      {{"k", 40, 1, 4, "copy", "grid 3"}, {"k", 1, 1, 4, "copy", "grid 4"}}),
              ElementsAre("-=0 new", "-=1 new", "0=- gone", "1=- gone"))
      << "as many launches each: a guess would be no better than chance";
}

TEST(MatchClasses, RunningNumbersOfGeneratedNames) {
  EXPECT_THAT(matched({{"triton_poi_fused_mul_2", 1}}, {{"triton_poi_fused_mul_3", 1}}), ElementsAre("0=0 renumbered"));
  EXPECT_THAT(matched({{"triton_poi_fused_mul_2", 1, 1, 4}, {"triton_poi_fused_mul_5", 1, 1, 24}},
                      {{"triton_poi_fused_mul_3", 1, 1, 24}, {"triton_poi_fused_mul_9", 1, 1, 4}}),
              ElementsAre("0=1 renumbered", "1=0 renumbered"));
}

TEST(MatchClasses, NumbersThatSayASizeAreNoRunningNumbers) {
  EXPECT_EQ(without_running_numbers("triton_poi_fused_mul_2"), "triton_poi_fused_mul_#");
  EXPECT_EQ(without_running_numbers("triton_red_fused__to_copy_bf16_12"), "triton_red_fused__to_copy_bf16_#");
  EXPECT_EQ(without_running_numbers("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT"),
            "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT");
  EXPECT_EQ(without_running_numbers("sm90_xmma_gemm_64"), "sm90_xmma_gemm_64");
  EXPECT_EQ(without_running_numbers(""), "");
}

TEST(MatchClasses, AnotherNameForTheSameRoleOnlyWithoutChoice) {
  EXPECT_THAT(matched({{"cutlass_gemm", 60, 1, 96}, {"softmax", 5, 1, 24, "attention"}},
                      {{"nvjet_gemm", 70, 1, 96}, {"softmax", 5, 1, 24, "attention"}}),
              ElementsAre("0=0 same-role", "1=1 same"));
  EXPECT_THAT(matched({{"cutlass_a", 30, 1, 96}, {"cutlass_b", 30, 1, 96}}, {{"nvjet_a", 30, 1, 96}}),
              ElementsAre("-=0 new", "0=- gone", "1=- gone"));
  EXPECT_THAT(matched({{"cutlass_a", 60, 1, 96}}, {{"nvjet_a", 20, 1, 96}}), ElementsAre("-=0 new", "0=- gone"))
      << "a third of the share is no proof of the same work";
}

TEST(MatchClasses, LaunchesAreComparedForTheSameAmountOfWork) {
  const std::vector<SideRow> mine = rows({{"cutlass_gemm", 60, 1, 960}});
  const std::vector<SideRow> theirs = rows({{"nvjet_gemm", 60, 1, 96}});
  EXPECT_EQ(match_classes(mine, theirs, 0.1).front().match, Match::same_role);
  EXPECT_EQ(match_classes(mine, theirs, 1).size(), 2U);
}

TEST(MatchNamed, LayersOfOtherNamesAreMatchedInOrder) {
  const std::vector<RowPair> pairs =
      match_named(run::View::layer, rows({{"Block_0", 1}, {"Block_1", 1}, {"(no layer)", 1}}),
                  rows({{"layers.0", 1}, {"layers.1", 1}, {"(no layer)", 1}}));
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].match, Match::same_order);
  EXPECT_EQ(*pairs[1].after, 1U);
  EXPECT_EQ(pairs[2].match, Match::same);
}

TEST(MatchNamed, FewerLayersAreNotGuessedAt) {
  const std::vector<RowPair> pairs =
      match_named(run::View::layer, rows({{"Block_0", 1}, {"Block_1", 1}}), rows({{"layers.0", 1}}));
  EXPECT_EQ(pairs.size(), 3U);
}

}  // namespace
}  // namespace kernwatt::attribution
