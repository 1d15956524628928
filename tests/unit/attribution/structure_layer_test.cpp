// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/attribution/structure/layer_name.hpp"
#include "kernwatt/attribution/structure/repetition.hpp"
#include "kernwatt/attribution/structure/sequence_alignment.hpp"
#include "tests/unit/attribution/trace_builder.hpp"

namespace kernwatt::attribution {
namespace {

using test::Origin;
using test::TraceBuilder;

std::string layer_in(std::string_view range) {
  const auto layer = numbered_layer(range);
  return layer ? layer->name : "none";
}

TEST(NumberedLayer, ReadsTheNamesThatFrameworksGive) {
  EXPECT_EQ(layer_in("nn.Module: LlamaDecoderLayer_3"), "LlamaDecoderLayer_3");
  EXPECT_EQ(layer_in("nn.Module: GPT2Block_11"), "GPT2Block_11");
  EXPECT_EQ(layer_in("model.layers.3.self_attn"), "model.layers.3");
  EXPECT_EQ(layer_in("transformer.h.3.attn"), "transformer.h.3");
  EXPECT_EQ(layer_in("h.0"), "h.0");
  EXPECT_EQ(layer_in("layers[12]"), "layers[12]");
  EXPECT_EQ(layer_in("layer_3"), "layer_3");
  EXPECT_EQ(layer_in("Block 3"), "Block 3");
}

TEST(NumberedLayer, OtherNumbersAreNoLayers) {
  EXPECT_EQ(layer_in("nn.Module: Linear_17"), "none");
  EXPECT_EQ(layer_in("nn.Module: LayerNorm_4"), "none");
  EXPECT_EQ(layer_in("ProfilerStep#3"), "none");
  EXPECT_EQ(layer_in("micro-batch 3"), "none");
  EXPECT_EQ(layer_in("nn.Module: Conv2d_0"), "none");
  EXPECT_EQ(layer_in("layers"), "none");
  EXPECT_EQ(layer_in("layer 99999999999999999999999"), "none");
  EXPECT_EQ(layer_in(""), "none");
}

std::uint64_t launches_in(const ProgramStructure& structure, std::uint32_t layer, Phase phase) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < structure.launch_layer.size(); ++i) {
    if (structure.launch_layer[i] == layer && structure.launch_phase[i] == phase) ++n;
  }
  return n;
}

TEST(Layers, NamesDecideAndTheBackwardPassFollowsThroughSequenceNumbers) {
  TraceBuilder builder;
  builder.launch("gather", Origin{.op = "aten::embedding", .sequence = 10});
  for (std::int64_t k = 0; k < 2; ++k) {
    const std::string range = "model.layers." + std::to_string(k);
    builder.launch("gemm", Origin{.op = "aten::mm", .ranges = {"model", range}, .sequence = 20 + 10 * k});
  }
  builder.launch("gemm", Origin{.op = "aten::mm", .sequence = 40});
  for (const std::int64_t sequence : {40, 31, 30, 20, 10}) {
    builder.launch("gemm", Origin{.op = "aten::mm", .sequence = sequence, .backward_thread = true});
  }
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  EXPECT_EQ(structure.layer_names, (std::vector<std::string>{"model.layers.0", "model.layers.1"}));
  const std::uint32_t none = run::none;
  EXPECT_EQ(structure.launch_layer, (std::vector<std::uint32_t>{none, 0, 1, none, none, 1, 1, 0, none}))
      << "a view's backward (31) goes with the operator before it";
}

// A training step of a small transformer, with or without what the host knows.
struct Transformer {
  int layers = 6;
  bool extra_in_layer_2 = false;

  void add_step(TraceBuilder& builder) const {
    builder.launch("vectorized_gather_kernel").launch("add_positions");
    for (int k = 0; k < layers; ++k) {
      for (const char* name : {"layer_norm", "nvjet_tnt", "flash_fwd_kernel", "nvjet_tnt", "add", "layer_norm"}) {
        builder.launch(name);
      }
      builder.memset();
      for (const char* name : {"nvjet_tnt", "gelu", "nvjet_tnt", "add"}) builder.launch(name);
      if (extra_in_layer_2 && k == 2) builder.launch("neg_kernel");
    }
    builder.launch("layer_norm").launch("nvjet_head").launch("nll_loss_forward");
    builder.launch("nll_loss_backward").launch("nvjet_nnt").launch("layer_norm_grad_input");
    for (int k = 0; k < layers; ++k) {
      for (const char* name : {"nvjet_nnt", "nvjet_ntn", "gelu_backward_kernel", "nvjet_nnt", "nvjet_ntn",
                               "layer_norm_grad_input", "flash_bwd_kernel", "nvjet_ntn", "add"}) {
        builder.launch(name);
      }
    }
    builder.launch("embedding_backward_kernel").launch("multi_tensor_apply_kernel<FusedAdam>");
  }
};

TEST(Layers, WithoutNamesTheRepeatedBlockIsNumberedAndTheBackwardPassMirrored) {
  TraceBuilder builder;
  const Transformer transformer;
  for (int step = 0; step < 4; ++step) transformer.add_step(builder);
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.layer_names.size(), 6U);
  EXPECT_EQ(structure.layer_names[0], "layer 0");
  EXPECT_TRUE(quality.contains("structure.layers-by-order"));
  EXPECT_TRUE(quality.contains("structure.backward-layers-by-order"));
  for (std::uint32_t k = 0; k < 6; ++k) {
    EXPECT_EQ(launches_in(structure, k, Phase::forward), 4U * 11) << "ten kernels and a memset, layer " << k;
    EXPECT_EQ(launches_in(structure, k, Phase::backward), 4U * 9) << "layer " << k;
  }
  EXPECT_EQ(structure.launch_layer[0], run::none) << "embedding";
  EXPECT_EQ(structure.launch_layer[2], 0U) << "a layer begins with its normalisation";
  const auto first_backward = std::find(structure.launch_phase.begin(), structure.launch_phase.end(), Phase::backward);
  EXPECT_EQ(structure.launch_layer[static_cast<std::size_t>(first_backward - structure.launch_phase.begin()) + 3], 5U)
      << "the last layer comes first";
}

TEST(Layers, AnExtraKernelDoesNotShiftTheNumbersBehindIt) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) Transformer{6, step == 1}.add_step(builder);
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.layer_names.size(), 6U);
  for (std::uint32_t k = 3; k < 6; ++k) EXPECT_EQ(launches_in(structure, k, Phase::forward), 4U * 11) << "layer " << k;
}

TEST(Layers, AlternatingKindsOfLayersAreCountedOneByOne) {
  TraceBuilder builder;
  for (int step = 0; step < 5; ++step) {
    builder.launch("vectorized_gather_kernel");
    for (int pair = 0; pair < 6; ++pair) {
      for (const char* name : {"rms_norm", "nvjet_qkv", "attention_sliding", "nvjet_o", "rms_norm", "nvjet_mlp"}) {
        builder.launch(name);
      }
      for (const char* name :
           {"rms_norm", "nvjet_qkv", "attention_full", "attention_reduce", "nvjet_o", "rms_norm", "nvjet_mlp"}) {
        builder.launch(name);
      }
    }
    builder.launch("nvjet_head").launch("argmax_kernel");
  }
  QualityLedger quality;
  const ProgramStructure structure = analyse_structure(builder.build(), quality);
  ASSERT_EQ(structure.layer_names.size(), 12U);
  EXPECT_EQ(launches_in(structure, 0, Phase::compute), 5U * 6);
  EXPECT_EQ(launches_in(structure, 1, Phase::compute), 5U * 7);
  EXPECT_EQ(launches_in(structure, 11, Phase::compute), 5U * 7);
}

TEST(Layers, ANetworkWithoutEqualBlocksHasNone) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    builder.launch("vectorized_gather_kernel");
    for (int k = 0; k < 40; ++k) builder.launch("nvjet_" + std::to_string(k * k % 37));
  }
  QualityLedger quality;
  EXPECT_TRUE(analyse_structure(builder.build(), quality).layer_names.empty());
}

TEST(Repetition, TheShortestBlockThatCoversMostWins) {
  std::vector<std::uint32_t> tokens{9, 8};
  for (int k = 0; k < 5; ++k) tokens.insert(tokens.end(), {1, 2, 3, 2});
  tokens.push_back(7);
  const Repetition found = find_repetition(tokens);
  EXPECT_EQ(found.start, 2U);
  EXPECT_EQ(found.period, 4U);
  EXPECT_EQ(found.repeats, 5U);
}

TEST(Repetition, NothingRepeatsInShortOrUniformSequences) {
  EXPECT_EQ(find_repetition({}).repeats, 0U);
  const std::vector<std::uint32_t> uniform(50, 4);
  EXPECT_EQ(find_repetition(uniform).repeats, 0U);
  const std::vector<std::uint32_t> different{1, 2, 3, 4, 5};
  EXPECT_EQ(find_repetition(different).repeats, 0U);
}

TEST(CarryLabels, StepsOverWhatIsNewAndWhatIsMissing) {
  const std::vector<std::uint32_t> from{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::uint32_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
  const std::vector<std::uint32_t> to{1, 2, 99, 3, 4, 5, 7, 8, 9};
  EXPECT_EQ(carry_labels(from, labels, to), (std::vector<std::uint32_t>{0, 0, run::none, 0, 1, 1, 2, 2, 2}));
  EXPECT_TRUE(carry_labels(from, labels, {}).empty());
}

}  // namespace
}  // namespace kernwatt::attribution
