// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/category_rules.hpp"

#include <array>

namespace kernwatt::attribution {
namespace {

using enum NamePart;
using enum Category;
using CategoryRule = NameRule<Category>;

// Order matters: a rule for the few comes before the rule for the many. `function` keeps template arguments out, so
// that "bfloat16_gemm_functor" among the arguments of an element-wise kernel does not make it a matrix product.
constexpr auto rules = std::to_array<CategoryRule>({
    // Reductions inside a block or warp share their verbs with collectives.
    {function, "*warp*reduce*", reduction},
    {function, "*block*all*reduce*", reduction},
    {function, "*split*k*reduce*", matrix_product},  // second half of a split-K product: cuBLAS, cuBLASLt

    // Communication. NCCL: ncclAllReduceRingLLKernel_sum_f32 (2.4), ncclKernel_ (2.10), ncclDevKernel_ (2.18),
    // ncclSymkDevKernel_, ncclSymDevKernel_ (2.27). It must begin so: my_nccl_free_gemm is a product.
    {function, "nccl*kernel*", communication},
    {function, "nccl*reduce*", communication},
    {function, "nccl*gather*", communication},
    {function, "nccl*broadcast*", communication},
    {function, "nccl*sendrecv*", communication},
    {function, "nccl*send_recv*", communication},
    {function, "nccl*all*to*all*", communication},
    {function, "rccl*", communication},
    {function, "mscclkernel*", communication},
    {whole, "*mscclpp::*", communication},
    {function, "*nvshmem*", communication},
    {function, "*multimem_*", communication},  // PyTorch symmetric memory
    {whole, "*symmetric_memory::*", communication},
    {function, "*all_reduce*", communication},
    {function, "*allreduce*", communication},            // TensorRT-LLM, also fused with a norm
    {function, "*cross_device_reduce*", communication},  // vLLM, SGLang, aiter
    {function, "*reduce_scatter*", communication},
    {function, "*reducescatter*", communication},
    {function, "*all_gather*", communication},
    {function, "*allgather*", communication},
    {function, "*all_to_all*", communication},
    {function, "*alltoall*", communication},
    {function, "*one_shot*reduce*", communication},
    {function, "*two_shot*reduce*", communication},
    {whole, "*deep_ep::*", communication},
    {function, "*userbuffers*", communication},  // Transformer Engine

    // Optimizer. A foreach copy is a copy; every other multi-tensor kernel of PyTorch and apex serves the optimizer.
    {whole, "*multi_tensor_apply*copy<*", copy},
    {function, "*multi_tensor*", optimizer},
    {function, "*adam*", optimizer},
    {function, "*adagrad*", optimizer},
    {function, "*adafactor*", optimizer},
    {function, "*lamb_*", optimizer},
    {function, "*sgd*", optimizer},
    {function, "*muon*", optimizer},
    {function, "*optimizer*", optimizer},

    // FlashInfer names the cache that its attention reads.
    {function, "*batchprefill*", attention},
    {function, "*batchdecode*", attention},
    {function, "*singleprefill*", attention},
    {function, "*singledecode*", attention},

    // Caches of keys and values are moved, not attended to.
    {function, "*_and_cache*", copy},
    {function, "*kvcache*", copy},
    {function, "*kv_cache*", copy},
    {function, "*kv_indices*", copy},
    {function, "*page_indices*", copy},

    // Attention, with its helpers in the backward pass.
    {function, "*flash_fwd*", attention},
    {function, "*flash_bwd*", attention},
    {whole, "*flashattn*", attention},
    {whole, "*flash_attn*", attention},
    {whole, "*flash_attention*", attention},
    {whole, "*_sdpa_*", attention},
    {whole, "*fmha*", attention},
    {function, "*attn_fwd*", attention},
    {function, "*attn_bwd*", attention},
    {function, "*bwd_preprocess*", attention},
    {function, "*compute_dot_do_o*", attention},
    {function, "*convert_dq*", attention},
    {function, "*attention*", attention},
    {whole, "*flashinfer*prefill*", attention},
    {whole, "*flashinfer*decode*", attention},
    {function, "*splitkv*", attention},
    {function, "*flashmla*", attention},
    {function, "*mla_*", attention},
    {function, "*_mla*", attention},
    {function, "*merge_state*", attention},
    {function, "*mha_*", attention},
    {function, "*_mha*", attention},
    {function, "triton_tem*attention*", attention},
    {function, "reduce_segments*", attention},  // vLLM's unified attention, last step

    // Normalisation over features, before products because a fused quantisation or addition rides along.
    {whole, "*layernorm*", normalisation},
    {whole, "*layer_norm*", normalisation},
    {whole, "*rmsnorm*", normalisation},
    {whole, "*rms_norm*", normalisation},
    {whole, "*batchnorm*", normalisation},
    {whole, "*batch_norm*", normalisation},
    {whole, "*groupnorm*", normalisation},
    {whole, "*group_norm*", normalisation},
    {whole, "*instancenorm*", normalisation},
    {whole, "*instance_norm*", normalisation},
    {function, "*l2norm*", normalisation},
    {function, "*l2_norm*", normalisation},
    {function, "*gammabeta*", normalisation},
    {function, "*rowwisemoments*", normalisation},
    {function, "*fusedparamscudakernel*", normalisation},
    {function, "*internalgradientscudakernel*", normalisation},
    {function, "*bn_fw*", normalisation},
    {function, "*bn_bw*", normalisation},
    {whole, "*welford*", normalisation},
    {function, "triton_*mean*rsqrt*", normalisation},

    {function, "*softmax*", reduction},  // a row's maximum and sum, then a scaling: bound like a reduction

    // Matrix products and convolutions, with the kernels that lay out their operands.
    {function, "*gemm*", matrix_product},
    {function, "*gemv*", matrix_product},
    {whole, "*gemvx::*", matrix_product},
    {function, "nvjet*", matrix_product},
    {function, "cijk_*", matrix_product},  // Tensile
    {function, "*xmma*", matrix_product},
    {function, "*wgmma*", matrix_product},
    {function, "*marlin*", matrix_product},
    {function, "*machete*", matrix_product},
    {function, "*matmul*", matrix_product},
    {function, "*mul_mat*", matrix_product},  // llama.cpp
    {function, "*qmm*", matrix_product},
    {function, "bmm_*", matrix_product},
    {function, "*grouped_mm*", matrix_product},
    {function, "*scaled_mm*", matrix_product},
    {function, "*addmm*", matrix_product},
    {function, "triton_tem*mm*", matrix_product},
    {function, "triton_mm*", matrix_product},
    {function, "fused_moe_kernel*", matrix_product},
    {whole, "*deep_gemm::*", matrix_product},
    {whole, "void cutlass*kernel*", matrix_product},
    {whole, "cutlass*kernel*", matrix_product},
    {whole, "_zn*cutlass*kernel*", matrix_product},
    {whole, "*ck::*gemm*", matrix_product},
    {whole, "*ck_tile*gemm*", matrix_product},
    {whole, "*cask_*offsets*", matrix_product},
    {whole, "*winograd*", matrix_product},
    {function, "*scudnn*", matrix_product},
    {function, "*hcudnn*", matrix_product},
    {function, "*wgrad*", matrix_product},
    {function, "*dgrad*", matrix_product},
    {function, "*fprop*", matrix_product},
    {function, "*convolve*", matrix_product},
    {function, "*convolution*", matrix_product},
    {function, "*conv1d*", matrix_product},
    {function, "*conv2d*", matrix_product},
    {function, "*conv3d*", matrix_product},
    {function, "*conv_depthwise*", matrix_product},
    {function, "*im2col*", matrix_product},
    {function, "*splitk*", matrix_product},
    {whole, "*cublaslt::epilogue*", matrix_product},
    {whole, "*epilogue::impl*", matrix_product},

    // Moving data. Gathers and embedding look-ups move rows; FillFunctor is a memset.
    {whole, "*direct_copy_kernel*", copy},
    {whole, "*copy_kernel*", copy},
    {whole, "*fillfunctor*", copy},
    {function, "*catarray*", copy},
    {function, "*transpose*", copy},
    {function, "*permute*", copy},
    {function, "*nchwtonhwc*", copy},
    {function, "*nhwctonchw*", copy},
    {function, "*memset*", copy},
    {function, "*memcpy*", copy},
    {function, "*gather*", copy},
    {function, "*sum_and_scatter*", reduction},  // gradient of an embedding
    {function, "*scatter*", copy},
    {function, "*index_select*", copy},
    {function, "*indexselect*", copy},
    {function, "*index_elementwise*", copy},
    {whole, "*index_kernel*", copy},
    {whole, "*index_put*", copy},
    {function, "*copy*", copy},
    {function, "*concat*", copy},
    {function, "*flip*", copy},

    // Element-wise work.
    {function, "*elementwise*", element_wise},
    {function, "triton_poi*", element_wise},
    {function, "triton__*", element_wise},  // inductor of PyTorch 2.0, which did not name what it fused
    {function, "*pointwise*", element_wise},
    {whole, "*act_and_mul*", element_wise},
    {function, "*activation*", element_wise},
    {function, "*silu*", element_wise},
    {function, "*gelu*", element_wise},
    {function, "*swiglu*", element_wise},
    {function, "*rotary*", element_wise},
    {function, "*rope*", element_wise},
    {function, "*dropout*", element_wise},
    {function, "*quant*", element_wise},
    {function, "*cast*", element_wise},
    {function, "*subtensorop*", element_wise},
    {function, "*scalepackedtensor*", element_wise},
    {function, "*clamp*", element_wise},
    {function, "*optensor*", element_wise},
    {function, "*add_bias*", element_wise},
    {function, "*bias_add*", element_wise},

    // Reductions: sums, scans, losses, pooling, embeddings that sum.
    {function, "*radixsort*", other},
    {function, "*reduce*", reduction},
    {function, "triton_red*", reduction},
    {function, "triton_per*", reduction},
    {function, "*scan*", reduction},
    {whole, "*wrapped_scan*", reduction},
    {function, "*cumsum*", reduction},
    {function, "*argmax*", reduction},
    {function, "*topk*", reduction},
    {function, "*loss*", reduction},
    {function, "*classnllcriterion*", reduction},
    {function, "*cross_entropy*", reduction},
    {function, "*pool*", reduction},
    {function, "*histogram*", reduction},
    {function, "*compute_grad_weight*", reduction},
    {function, "*embedding*", reduction},
    {function, "*_sum_*", reduction},
    {function, "finalizekernel*", reduction},  // mixture of experts: sums the experts' rows
    {function, "*dot_kernel*", reduction},
});

constexpr auto collectives = std::to_array<NameRule<std::string_view>>({
    {function, "*all*reduce*", "all-reduce"},
    {function, "*cross_device_reduce*", "all-reduce"},
    {function, "*reduce*scatter*", "reduce-scatter"},
    {function, "*all*gather*", "all-gather"},
    {function, "*all*to*all*", "all-to-all"},
    {function, "*broadcast*", "broadcast"},
    {function, "*send*recv*", "send-receive"},
    {function, "*send*", "send-receive"},
    {function, "*recv*", "send-receive"},
    {whole, "*deep_ep::*", "all-to-all"},
    {function, "*one_shot*reduce*", "all-reduce"},
    {function, "*two_shot*reduce*", "all-reduce"},
    {function, "*reduce*", "reduce"},
    {function, "*scatter*", "scatter"},
    {function, "*gather*", "gather"},
});

}  // namespace

std::span<const NameRule<Category>> category_rules() { return rules; }
std::span<const NameRule<std::string_view>> collective_rules() { return collectives; }

}  // namespace kernwatt::attribution
