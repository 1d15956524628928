// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "kernwatt/attribution/structure/category.hpp"
#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {
namespace {

using enum Category;

struct Expected {
  std::string_view name;
  Category category;
};

Category kernel_category(std::string_view name) { return category_of(name, run::LaunchKind::kernel); }

TEST(KernelName, FindsTheFunctionBetweenReturnTypeTemplateAndParameters) {
  const auto function = [](std::string_view name) { return prepare_kernel_name(name).function; };
  EXPECT_EQ(function("void at::native::(anonymous namespace)::foo<4, bar<int> >(int, bar<int>)"), "foo");
  EXPECT_EQ(function("std::enable_if<(((16)>(0)))&&ok<T>::value, void>::type vllm::fused_norm<T, 8>(T*)"),
            "fused_norm");
  EXPECT_EQ(function("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "nccldevkernel_allgather_ring_ll");
  EXPECT_EQ(function("_ZN5aiter12rmsnorm_quantI3fooEEvPT_"), "_zn5aiter12rmsnorm_quanti3fooeevpt_");
  EXPECT_EQ(function("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
}

TEST(KernelName, SurvivesNamesThatAreCutOffOrEmpty) {
  for (const std::string_view name : {"", " ", "void", "foo<", "foo<(", "<>", "(", "void foo<bar<int", ">>>((("}) {
    EXPECT_NO_THROW(static_cast<void>(prepare_kernel_name(name))) << name;
    EXPECT_NO_THROW(static_cast<void>(kernel_category(name))) << name;
  }
}

TEST(KernelName, PatternsMatchWithStarsAnywhere) {
  EXPECT_TRUE(matches("*gemm*", "my_gemm_kernel"));
  EXPECT_TRUE(matches("nccl*kernel*", "nccldevkernel_generic"));
  EXPECT_FALSE(matches("nccl*kernel*", "my_nccl_kernel"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("a", ""));
}

TEST(Category, NcclIsCommunicationThroughItsVersions) {
  struct Collective {
    std::string_view name;
    std::string_view kind;
  };
  constexpr auto collectives = std::to_array<Collective>({
      {"ncclKernel_AllReduce_RING_LL_Sum_float", "all-reduce"},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all-gather"},
      {"ncclDevKernel_Generic_4", ""},
      {"ncclSymkDevKernel_ReduceScatter_LD_float", "reduce-scatter"},
      {"nccldevkernel_broadcast_ring_ll", "broadcast"},
      {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all-reduce"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "send-receive"},
      {"ncclKernel_Reduce_RING_LL_Sum_float", "reduce"},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "all-reduce"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "all-reduce"},
      {"void tensorrt_llm::kernels::twoShotAllReduceKernel<half>(AllReduceParams)", "all-reduce"},
      {"void deep_ep::internode::dispatch<false, 8>(int*)", "all-to-all"},
  });
  for (const auto& [name, kind] : collectives) {
    EXPECT_EQ(kernel_category(name), communication) << name;
    EXPECT_EQ(collective_of(name), kind) << name;
  }
}

TEST(Category, NamesThatOnlySpeakOfCommunicationAreCompute) {
  EXPECT_EQ(kernel_category("my_nccl_free_gemm"), matrix_product);
  EXPECT_EQ(kernel_category("void oneflow::blockAllReduceSoftmax<float>(float*)"), reduction);
  EXPECT_EQ(kernel_category("warp_allreduce_sum"), reduction);
}

TEST(Category, KnowsTheLibrariesProductsAndAttention) {
  constexpr auto expected = std::to_array<Expected>({
      {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT", matrix_product},
      {"ampere_sgemm_128x64_tn", matrix_product},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", matrix_product},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_nn_align8>(P)", matrix_product},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> >(P)", matrix_product},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x256x64_MI16x16x1", matrix_product},
      {"void gemv2T_kernel_val<int, int, float>(P)", matrix_product},
      {"void marlin::Marlin<256, 1, 8>(int4 const*)", matrix_product},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float>(P)", matrix_product},
      {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32", matrix_product},
      {"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64> >(P)", attention},
      {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<int> > >(P)", attention},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26", attention},
      {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>(P)", attention},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP64VarSeqQ128Kv128PersistentContext", attention},
      {"void vllm::paged_attention_v2_kernel<half>(P)", attention},
  });
  for (const auto& [name, category] : expected) {
    EXPECT_EQ(kernel_category(name), category) << name << ": " << to_string(kernel_category(name));
  }
}

TEST(Category, KnowsTheSmallKernelsAroundThem) {
  constexpr auto expected = std::to_array<Expected>({
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int)",
       normalisation},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64EEEvPT0_", normalisation},
      {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<int>(P)", normalisation},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, A>(P)", copy},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(T&)::{lambda()#1}>(P)", copy},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<int>(P)", copy},
      {"void at::native::vectorized_gather_kernel<16, long>(P)", copy},
      {"void vllm::reshape_and_cache_flash_kernel<int>(P)", copy},
      {"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, A>(P)",
       element_wise},
      {"void vllm::act_and_mul_kernel<c10::BFloat16>(P)", element_wise},
      {"triton_poi_fused_add_cos_sin_0", element_wise},
      {"triton_red_fused_sum_1", reduction},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>(P)", reduction},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(P)", reduction},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<M, FusedAdamMathFunctor<float> >(P)",
       optimizer},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<M, UnaryOpFunctor, Copy<long, long> >(P)",
       copy},
      {"spin_kernel(long)", other},
  });
  for (const auto& [name, category] : expected) {
    EXPECT_EQ(kernel_category(name), category) << name << ": " << to_string(kernel_category(name));
  }
}

TEST(Category, CopiesAndMemsetsAreCopiesWhateverTheirName) {
  EXPECT_EQ(category_of("gemm", run::LaunchKind::memcpy), copy);
  EXPECT_EQ(category_of("Memset (Device)", run::LaunchKind::memset), copy);
}

}  // namespace
}  // namespace kernwatt::attribution
