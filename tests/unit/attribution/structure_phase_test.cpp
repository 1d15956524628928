// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/phase_rules.hpp"
#include "tests/unit/attribution/trace_builder.hpp"

namespace kernwatt::attribution {
namespace {

using enum Phase;
using test::Origin;
using test::TraceBuilder;
using testing::ElementsAre;

std::vector<Phase> phases_of(TraceBuilder& builder, QualityLedger& quality) {
  return analyse_structure(builder.build(), quality).launch_phase;
}

TEST(PhaseOfRange, ReadsTheWordsThatProgramsUse) {
  EXPECT_EQ(phase_of_range("forward"), forward);
  EXPECT_EQ(phase_of_range("DistributedDataParallel.forward"), forward);
  EXPECT_EQ(phase_of_range("## BACKWARD ##"), backward);
  EXPECT_EQ(phase_of_range("Optimizer.step#AdamW.step"), optimizer);
  EXPECT_EQ(phase_of_range("Optimizer.zero_grad#AdamW.zero_grad"), optimizer);
  EXPECT_EQ(phase_of_range("step[DECODE bs=32]"), decode);
  EXPECT_EQ(phase_of_range("step[EXTEND bs=1 toks=4096]"), prefill);
  EXPECT_EQ(phase_of_range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"), data_loading);
}

TEST(PhaseOfRange, WordsMustStandAlone) {
  EXPECT_EQ(phase_of_range("nn.Module: FeedForward_0"), std::nullopt);
  EXPECT_EQ(phase_of_range("FeedForward"), std::nullopt);
  EXPECT_EQ(phase_of_range("forward_backward_func"), std::nullopt);
  EXPECT_EQ(phase_of_range("TransformerDecoderLayer"), std::nullopt);
}

TEST(PhaseOfRange, CountsTheRequestsOfAMixedBatch) {
  EXPECT_EQ(phase_of_range("execute_context_0(0)_generation_32(32)"), decode);
  EXPECT_EQ(phase_of_range("execute_context_8(8192)_generation_0(0)"), prefill);
  EXPECT_EQ(phase_of_range("execute_33_context_1(sq128sk128sqsq16384sqsk16384)_generation_32(sq32)"), prefill);
}

TEST(Phase, CommunicationAndCopiesOverTheBusHaveTheirOwn) {
  TraceBuilder builder;
  builder.launch("gemm", Origin{.op = "aten::mm", .ranges = {"forward"}})
      .launch("ncclDevKernel_AllReduce_Sum_bf16", Origin{.ranges = {"backward"}})
      .copy("Memcpy HtoD (Pinned -> Device)")
      .launch("gemm", Origin{.op = "aten::mm", .backward_thread = true});
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality), ElementsAre(forward, communication, copy, backward));
  EXPECT_FALSE(quality.contains("structure.phase-guessed"));
}

TEST(Phase, TheBatchOfAServingEngineOutranksItsForwardRange) {
  TraceBuilder builder;
  builder.launch("gemm", Origin{.ranges = {"execute_context_0(0)_generation_8(8)", "gpu_model_runner: forward"}});
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality), ElementsAre(decode));
}

TEST(Phase, InTrainingTheUnnamedRestIsForwardAndBehindTheBackwardPassOptimizer) {
  TraceBuilder builder;
  builder.mark_iteration("ProfilerStep#1").mark_iteration("ProfilerStep#2");
  for (std::uint32_t step = 0; step < 2; ++step) {
    builder.launch("gemm", Origin{.op = "aten::mm", .sequence = 5, .iteration = step})
        .launch("gemm", Origin{.op = "aten::mm", .sequence = 5, .backward_thread = true, .iteration = step})
        .launch("mul", Origin{.op = "aten::mul_", .iteration = step});
  }
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality), ElementsAre(forward, backward, optimizer, forward, backward, optimizer));
  EXPECT_TRUE(quality.contains("structure.phase-guessed"));
}

TEST(Phase, NamesOfKernelsTellThePassesWhenNothingElseDoes) {
  TraceBuilder builder;
  for (int step = 0; step < 2; ++step) {
    builder.launch("vectorized_gather_kernel").launch("nvjet_a").launch("nll_loss_forward_reduce_cuda_kernel_2d");
    builder.launch("fill").launch("nll_loss_backward_reduce_cuda_kernel_2d").launch("nvjet_b");
    builder.launch("multi_tensor_apply_kernel<FusedAdamMathFunctor<float> >");
  }
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality),
              ElementsAre(forward, forward, forward, backward, backward, backward, optimizer, forward, forward, forward,
                          backward, backward, backward, optimizer));
  EXPECT_TRUE(quality.contains("structure.phase-guessed"));
}

TEST(Phase, AttentionKernelsTellPrefillFromDecodeFromTheStartOfTheStep) {
  TraceBuilder builder;
  builder.launch("vectorized_gather_kernel").launch("nvjet_a").launch("BatchPrefillWithPagedKVCacheKernel");
  builder.launch("nvjet_b");
  builder.launch("vectorized_gather_kernel").launch("nvjet_a").launch("BatchDecodeWithPagedKVCacheKernel");
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality), ElementsAre(prefill, prefill, prefill, prefill, decode, decode, decode));
}

TEST(Phase, WhatTheTraceDoesNotTellIsComputeAndSaid) {
  TraceBuilder builder;
  builder.launch("nvjet_a").launch("nvjet_b");
  QualityLedger quality;
  EXPECT_THAT(phases_of(builder, quality), ElementsAre(compute, compute));
  EXPECT_TRUE(quality.contains("structure.phase-unknown"));
}

TEST(Phase, DataLoadingOfTheHostIsKeptAsStretches) {
  TraceBuilder builder;
  builder.host_range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 20)
      .host_range("forward", 20, 30);
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.data_loading.size(), 1U);
  EXPECT_EQ(structure.data_loading[0].start_ns, 10);
  EXPECT_EQ(structure.data_loading[0].end_ns, 20);
}

}  // namespace
}  // namespace kernwatt::attribution
