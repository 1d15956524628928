// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/iteration_period.hpp"
#include "tests/unit/attribution/trace_builder.hpp"

namespace kernwatt::attribution {
namespace {

using test::Origin;
using test::TraceBuilder;

ProgramStructure structure_of(TraceBuilder& builder, QualityLedger& quality) {
  return analyse_structure(builder.build(), quality);
}

// A decode step: embedding, four layers, head and sampling; ends before the n-th kernel if torn.
void add_decode_step(TraceBuilder& builder, std::size_t torn_at = 1000) {
  std::vector<std::string_view> kernels{"vectorized_gather_kernel"};
  for (int layer = 0; layer < 4; ++layer) {
    for (const char* name : {"rms_norm_kernel", "nvjet_qkv", "paged_attention", "nvjet_out", "act_and_mul_kernel"}) {
      kernels.emplace_back(name);
    }
  }
  kernels.emplace_back("nvjet_head");
  kernels.emplace_back("argmax_kernel");
  for (std::size_t i = 0; i < std::min(torn_at, kernels.size()); ++i) builder.launch(kernels[i]);
}

TEST(Iterations, MarksDecideAndLateLaunchesBelongToTheIterationThatAskedForThem) {
  TraceBuilder builder;
  builder.mark_iteration("ProfilerStep#4").mark_iteration("ProfilerStep#5").mark_iteration("ProfilerStep#6");
  builder.at(100).launch("a", Origin{.iteration = 0}, 50).launch("b", Origin{.iteration = 0}, 50);
  builder.at(300).launch("a", Origin{.iteration = 1}, 50).launch("b", Origin{.iteration = 0}, 10);
  builder.launch("c");
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_EQ(structure.iterations_found_by, IterationsFoundBy::marks);
  ASSERT_EQ(structure.iterations.size(), 2U) << "a mark without work on the device is no iteration here";
  EXPECT_EQ(structure.iterations[0].name, "ProfilerStep#4");
  EXPECT_EQ(structure.iterations[0].start_ns, 100);
  EXPECT_EQ(structure.iterations[0].end_ns, 300) << "ends where the next begins on the device";
  EXPECT_EQ(structure.iterations[1].end_ns, 350);
  EXPECT_EQ(structure.launch_iteration, (std::vector<std::uint32_t>{0, 0, 1, 0, run::none}));
}

TEST(Iterations, ADecodeLoopWithoutMarksIsFoundByItsPeriod) {
  TraceBuilder builder;
  for (int step = 0; step < 20; ++step) add_decode_step(builder);
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_EQ(structure.iterations_found_by, IterationsFoundBy::period);
  ASSERT_EQ(structure.iterations.size(), 20U);
  EXPECT_TRUE(quality.contains("structure.iterations-by-period"));
  for (const IterationSpan& span : structure.iterations) EXPECT_EQ(span.end_ns - span.start_ns, 23 * 1000);
  EXPECT_EQ(structure.iterations[0].start_ns, 1'000'000) << "starts at the embedding";
  EXPECT_EQ(structure.layer_names.size(), 4U);
}

TEST(Iterations, WarmUpATornEndAndExtraLaunchesDoNotDisturb) {
  TraceBuilder builder;
  for (int i = 0; i < 30; ++i) builder.launch("warm_up_kernel");
  builder.launch("nvjet_qkv").launch("fill_kernel");
  for (int step = 0; step < 25; ++step) {
    if (step % 7 == 3) builder.launch("logging_kernel");
    add_decode_step(builder);
  }
  add_decode_step(builder, 9);
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  ASSERT_EQ(structure.iterations.size(), 25U);
  EXPECT_EQ(structure.launch_iteration.front(), run::none);
  EXPECT_EQ(structure.launch_iteration.back(), run::none);
}

TEST(Iterations, TheOptimizerEndsATrainingStep) {
  TraceBuilder builder;
  for (int step = 0; step < 6; ++step) {
    builder.launch("forward_a").launch("nvjet_b").launch("nll_loss_backward_kernel").launch("nvjet_c");
    builder.launch("multi_tensor_apply_kernel<FusedAdam>").launch("multi_tensor_apply_kernel<FusedAdam>");
  }
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  ASSERT_EQ(structure.iterations.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(structure.iterations[k].start_ns, 1'000'000 + static_cast<std::int64_t>(k) * 6000);
  }
}

TEST(Iterations, WhatIsDoneEveryTenthStepDoesNotMakeTenStepsOne) {
  TraceBuilder builder;
  for (int step = 0; step < 100; ++step) {
    add_decode_step(builder);
    if (step % 10 == 9) builder.launch("report_kernel");
  }
  QualityLedger quality;
  EXPECT_EQ(structure_of(builder, quality).iterations.size(), 100U);
}

TEST(Iterations, GridsThatGrowWithTheSequenceDoNotHideTheStep) {
  TraceBuilder builder;
  for (std::uint32_t step = 0; step < 30; ++step) {
    builder.launch("vectorized_gather_kernel");
    for (int layer = 0; layer < 4; ++layer) {
      builder.launch("nvjet_qkv");
      builder.grid(100 + step).launch("CatArrayBatchedCopy");
      builder.grid(100 + step).launch("CatArrayBatchedCopy");
      builder.grid(7 + step).launch("paged_attention");
      builder.launch("nvjet_out");
    }
    builder.launch("argmax_kernel");
  }
  QualityLedger quality;
  EXPECT_EQ(structure_of(builder, quality).iterations.size(), 30U);
}

TEST(Iterations, VeryDeepModelsAreNotMistakenForTheirLayers) {
  TraceBuilder builder;
  for (int step = 0; step < 12; ++step) {
    builder.launch("vectorized_gather_kernel");
    for (int layer = 0; layer < 120; ++layer) {
      for (const char* name : {"rms_norm_kernel", "nvjet_qkv", "paged_attention", "nvjet_out", "act_and_mul_kernel"}) {
        builder.launch(name);
      }
    }
    builder.launch("nvjet_head").launch("argmax_kernel");
  }
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_EQ(structure.iterations.size(), 12U);
  EXPECT_EQ(structure.layer_names.size(), 120U);
}

TEST(Iterations, RandomBurstsHaveNone) {
  TraceBuilder builder;
  std::mt19937 random(7);
  constexpr std::array names{"nvjet_a", "softmax", "layer_norm", "gelu", "add", "fill", "copy_b", "sgemm"};
  for (int burst = 0; burst < 300; ++burst) {
    const char* name = names[random() % names.size()];
    for (std::uint_fast32_t i = 0, n = 1 + random() % 200; i < n; ++i) builder.launch(name);
  }
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_EQ(structure.iterations_found_by, IterationsFoundBy::none);
  EXPECT_TRUE(structure.iterations.empty());
  EXPECT_TRUE(quality.contains("structure.no-iterations"));
}

TEST(Iterations, OneKernelOverAndOverHasNone) {
  TraceBuilder builder;
  for (int i = 0; i < 1000; ++i) builder.launch("nvjet_a");
  QualityLedger quality;
  EXPECT_TRUE(structure_of(builder, quality).iterations.empty());
}

TEST(Iterations, LayersOfASinglePassAreNotIterations) {
  TraceBuilder builder;
  builder.launch("vectorized_gather_kernel");
  for (int layer = 0; layer < 40; ++layer) {
    for (const char* name : {"rms_norm_kernel", "nvjet_qkv", "paged_attention", "nvjet_out"}) builder.launch(name);
  }
  builder.launch("nvjet_head").launch("argmax_kernel");
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_TRUE(structure.iterations.empty());
  EXPECT_TRUE(quality.contains("structure.period-is-a-layer"));
  EXPECT_EQ(structure.layer_names.size(), 40U);
}

TEST(Iterations, OneReplayedGraphIsNotCutIntoIterations) {
  TraceBuilder builder;
  builder.launch("nvjet_a", Origin{.graph = 77});
  for (int i = 0; i < 99; ++i) builder.same_call(i % 3 == 0 ? "nvjet_b" : i % 3 == 1 ? "softmax" : "nvjet_a");
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_TRUE(structure.iterations.empty());
  ASSERT_EQ(structure.operator_names.size(), 1U);
  EXPECT_EQ(structure.operator_names[0], "inside graph 77");
}

TEST(Iterations, AnEmptyTraceHasNothingAndSaysNothing) {
  TraceBuilder builder;
  QualityLedger quality;
  const ProgramStructure structure = structure_of(builder, quality);
  EXPECT_TRUE(structure.iterations.empty());
  EXPECT_TRUE(structure.launch_phase.empty());
  EXPECT_TRUE(quality.entries().empty());
}

TEST(FindPeriod, StreamsThatRaceEachOtherDoNotHideThePeriod) {
  std::vector<std::uint32_t> tokens;
  std::mt19937 random(3);
  for (int step = 0; step < 50; ++step) {
    std::vector<std::uint32_t> turn{1, 2, 3, 2, 3, 4, 5, 6, 7, 8};
    std::swap(turn[1 + random() % 8], turn[1 + random() % 8]);
    tokens.push_back(0);
    tokens.insert(tokens.end(), turn.begin(), turn.end());
  }
  const auto period = find_period(tokens);
  ASSERT_TRUE(period.has_value());
  EXPECT_EQ(period->length, 11U);
  EXPECT_GT(period->agreement, 0.99);
}

TEST(FindPeriod, TooFewTokensHaveNone) {
  EXPECT_FALSE(find_period({}).has_value());
  const std::vector<std::uint32_t> one{5};
  EXPECT_FALSE(find_period(one).has_value());
}

}  // namespace
}  // namespace kernwatt::attribution
