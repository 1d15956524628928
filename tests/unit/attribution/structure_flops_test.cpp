// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/operation_flops.hpp"
#include "tests/unit/attribution/trace_builder.hpp"

namespace kernwatt::attribution {
namespace {

using test::Origin;
using test::TraceBuilder;

double flops(std::string_view op, std::string_view shapes) {
  const auto found = flops_of_operation(op, parse_shapes(shapes));
  return found ? found->flops : -1;
}

TEST(OperationFlops, ProductsCountTwoPerInnerElement) {
  EXPECT_EQ(flops("aten::mm", "[[8192,2048],[2048,6144]]"), 206158430208.0);
  EXPECT_EQ(flops("aten::addmm", "[[6144],[8192,2048],[2048,6144],[],[]]"), 206158430208.0);
  EXPECT_EQ(flops("aten::bmm", "[[16,4,8],[16,8,2]]"), 2.0 * 16 * 4 * 8 * 2);
  EXPECT_EQ(flops("aten::baddbmm", "[[1],[16,4,8],[16,8,2],[],[]]"), 2.0 * 16 * 4 * 8 * 2);
  EXPECT_EQ(flops("aten::linear", "[[8,1024,64],[128,64],[128]]"), 2.0 * 8 * 1024 * 64 * 128);
  EXPECT_EQ(flops("aten::_scaled_mm", "[[16,32],[32,64],[],[]]"), 2.0 * 16 * 32 * 64);
  EXPECT_EQ(flops("aten::mv", "[[16,32],[32]]"), 2.0 * 16 * 32);
}

TEST(OperationFlops, AttentionCountsBothProductsAndItsBackwardTwoAndAHalfTimes) {
  const double forward = 4.0 * 2 * 16 * 1024 * 1024 * 128;
  const std::string qkv = "[2,16,1024,128],[2,16,1024,128],[2,16,1024,128]";
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention", "[" + qkv + ",[],[],[]]"), forward);
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention_backward", "[[2,16,1024,128]," + qkv + "]"),
            2.5 * forward);
  EXPECT_EQ(flops("aten::_flash_attention_forward", "[[2,1024,16,128],[2,1024,16,128],[2,1024,16,128]]"), forward);
  EXPECT_EQ(flops("aten::_cudnn_attention_forward", "[[2,16,1,128],[2,4,1024,128],[2,4,1024,128]]"),
            4.0 * 2 * 16 * 1024 * 128)
      << "grouped heads: the queries' count";
}

TEST(OperationFlops, WhatTheShapesDoNotTellIsUnknown) {
  EXPECT_EQ(flops("aten::add", "[[8,8],[8,8]]"), -1);
  EXPECT_EQ(flops("aten::cudnn_convolution", "[[8,3,224,224],[64,3,7,7]]"), -1);
  EXPECT_EQ(flops("aten::mm", "[]"), -1);
  EXPECT_EQ(flops("aten::mm", "no json"), -1);
  EXPECT_EQ(flops("aten::mm", "[[8,4],[5,8]]"), -1) << "the inner dimensions differ";
  EXPECT_EQ(flops("aten::mm", "[[0,4],[4,8]]"), -1) << "nothing to multiply";
  EXPECT_EQ(flops("aten::mm", R"([["a",4],[4,8]])"), -1);
  EXPECT_EQ(flops("aten::bmm", "[[[2,3],[2,3]],[4]]"), -1);
}

TEST(SaysCausal, ReadsFlashAttentionsTemplateAndNames) {
  const std::string traits = "Flash_fwd_kernel_traits<64, 128, 64, 4, false, false, cutlass::bfloat16_t>";
  EXPECT_TRUE(says_causal("void pytorch_flash::flash_fwd_kernel<" + traits + ", false, true, false, false>(P)"));
  EXPECT_FALSE(says_causal("void pytorch_flash::flash_fwd_kernel<" + traits + ", true, false, false, false>(P)"));
  EXPECT_TRUE(says_causal("void flash::flash_fwd_splitkv_kernel<" + traits + ", true, false>(P)"));
  EXPECT_TRUE(says_causal("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP64"));
  EXPECT_FALSE(says_causal("flash_fwd_kernel<Flash_fwd_kernel_traits<64"));
}

TEST(Flops, TheLongestProductOfACallGetsThemAndSplitKSumsGetNone) {
  TraceBuilder builder;
  const Origin product{.op = "aten::mm", .shapes = "[[4,8],[8,2]]"};
  builder.launch("nvjet_a", product, 5000).same_call("cublasLt::splitKreduce_kernel", 900);
  builder.launch("nvjet_a", product, 5000);
  builder.launch("elementwise_kernel", Origin{.op = "aten::add", .shapes = "[[4,8],[4,8]]"});
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.launch_flops.size(), 2U);
  EXPECT_EQ(structure.class_flops[0], 2 * 2.0 * 4 * 8 * 2);
  EXPECT_EQ(structure.class_flops[1], std::nullopt);
  EXPECT_EQ(structure.class_flops[2], std::nullopt);
  EXPECT_EQ(structure.operator_flops[0], 2 * 2.0 * 4 * 8 * 2);
  EXPECT_FALSE(quality.contains("structure.flops-unknown"));
}

TEST(Flops, AClassWithAProductOfUnknownShapeHasNoFigure) {
  TraceBuilder builder;
  builder.launch("nvjet_a", Origin{.op = "aten::mm", .shapes = "[[4,8],[8,2]]"}).launch("nvjet_a");
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  EXPECT_EQ(structure.class_flops[0], std::nullopt);
  EXPECT_EQ(structure.launches_without_flops, (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(quality.contains("structure.flops-unknown"));
}

TEST(Flops, ACausalMaskHalvesSquareAttention) {
  TraceBuilder builder;
  const std::string kernel = "fmhaKernel_Causal";
  builder.launch(kernel, Origin{.op = "aten::_flash_attention_forward", .shapes = "[[1,8,2,4],[1,8,2,4],[1,8,2,4]]"});
  builder.launch(kernel, Origin{.op = "aten::_flash_attention_forward", .shapes = "[[1,1,2,4],[1,8,2,4],[1,8,2,4]]"});
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.launch_flops.size(), 2U);
  EXPECT_EQ(structure.launch_flops[0].flops, 4.0 * 2 * 8 * 8 * 4 / 2);
  EXPECT_EQ(structure.launch_flops[1].flops, 4.0 * 2 * 1 * 8 * 4) << "one query sees every key";
}

void add_training_step(TraceBuilder& builder, std::uint32_t step, std::string_view collective = {}) {
  const Origin forward{.op = "aten::x", .ranges = {"forward"}, .iteration = step};
  const Origin optimizer{.op = "aten::y", .ranges = {"optimizer"}, .iteration = step};
  builder.grid(4096).launch("void at::native::vectorized_gather_kernel<16, long>(P)", forward);
  builder.grid(4096).launch("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(P)", forward);
  builder.launch("nvjet_a", forward, 50'000);
  builder.grid(4096).launch("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(P)", forward);
  builder.launch("nvjet_b", Origin{.op = "aten::mm", .backward_thread = true, .iteration = step}, 90'000);
  if (!collective.empty()) builder.launch(collective, Origin{.iteration = step});
  builder.grid(10).launch(
      "void multi_tensor_apply_kernel<TensorListMetadata<1>, BinaryOpScalarFunctor<float, 1, 1, 0> >(P)", optimizer);
  for (int part = 0; part < 2; ++part) {
    builder.grid(100).launch(
        "void multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, "
        "FusedAdamMathFunctor<float> >(P)",
        optimizer);
  }
}

TEST(ModelFlops, WithoutShapesParametersAndTokensAreToldFromGridsWithBounds) {
  TraceBuilder builder;
  builder.mark_iteration("ProfilerStep#1").mark_iteration("ProfilerStep#2");
  for (std::uint32_t step = 0; step < 2; ++step) add_training_step(builder, step);
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_TRUE(structure.model_flops.has_value());
  const ModelFlops& model = *structure.model_flops;
  EXPECT_EQ(model.tokens_per_iteration, 4096);
  EXPECT_EQ(model.parameters_high, 200 * 65536.0);
  EXPECT_EQ(model.parameters_low, 200 * 65536.0 - 10 * 65535.0);
  EXPECT_EQ(model.per_iteration, 6 * 4096 * model.parameters);
  EXPECT_TRUE(quality.contains("structure.flops-estimated"));
  EXPECT_EQ(structure.class_flops[2], std::nullopt) << "an estimate for all products is none for a class";
}

TEST(ModelFlops, ShardedParametersGiveNoEstimate) {
  TraceBuilder builder;
  builder.mark_iteration("ProfilerStep#1");
  add_training_step(builder, 0, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL");
  QualityLedger quality;
  EXPECT_FALSE(analyse_structure(builder.build(), quality).model_flops.has_value());
}

}  // namespace
}  // namespace kernwatt::attribution
