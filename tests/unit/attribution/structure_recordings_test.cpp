// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "kernwatt/attribution/communication.hpp"
#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/readers/read.hpp"

/// The structure of real recordings, against what is known of their programs.
namespace kernwatt::attribution {
namespace {

std::filesystem::path data() {
  const char* shared = std::getenv("KERNWATT_SHARED_DIR");
  return std::filesystem::path(shared != nullptr ? shared : KERNWATT_SOURCE_DIR "/../shared") / "data";
}

class Recordings : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data())) GTEST_SKIP() << "no recordings at " << data();
  }
  void analyse(const std::filesystem::path& file) {
    auto read = readers::read_trace(data() / file);
    ASSERT_TRUE(read.has_value()) << read.error().text();
    trace = std::move(read).value();
    structure = analyse_structure(trace, quality);
  }
  std::uint64_t launches(std::uint32_t layer, Phase phase) const {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
      if (structure.launch_layer[i] == layer && structure.launch_phase[i] == phase) ++n;
    }
    return n;
  }
  void expect_equal_layers(std::uint32_t layers, std::uint64_t forward, std::uint64_t backward) const {
    ASSERT_EQ(structure.layer_names.size(), layers);
    for (std::uint32_t k = 0; k < layers; ++k) {
      EXPECT_EQ(structure.layer_names[k], "layer " + std::to_string(k));
      EXPECT_EQ(launches(k, Phase::forward), forward) << "layer " << k;
      EXPECT_EQ(launches(k, Phase::backward), backward) << "layer " << k;
    }
  }

  run::Trace trace;
  QualityLedger quality;
  ProgramStructure structure;
};

TEST_F(Recordings, TrainingOf1300MillionParametersHas24EqualLayersByOrder) {
  analyse("h200/train_gpt3_1p3b.trace.json.gz");
  ASSERT_EQ(structure.iterations.size(), 3U);
  EXPECT_EQ(structure.iterations_found_by, IterationsFoundBy::marks);
  expect_equal_layers(24, 3 * 15, 3 * 35);
}

TEST_F(Recordings, TrainingOf124MillionParametersHas12EqualLayersByOrder) {
  analyse("h200/train_gpt2_124m.trace.json.gz");
  expect_equal_layers(12, 3 * 13, 3 * 29);
}

TEST_F(Recordings, FlopsOfTheProductsAreEstimatedWithinTheirBounds) {
  analyse("h200/train_gpt3_1p3b.trace.json.gz");
  ASSERT_TRUE(structure.model_flops.has_value());
  constexpr double layers = 24;
  constexpr double width = 2048;
  constexpr double vocabulary = 50304;
  constexpr double tokens = 8 * 1024;
  const double truth = 6 * tokens * (layers * 12 * width * width + vocabulary * width);
  EXPECT_NEAR(structure.model_flops->per_iteration, truth, 0.01 * truth);
  EXPECT_LE(structure.model_flops->per_iteration_low, truth);
  EXPECT_GE(structure.model_flops->per_iteration_high, truth);
}

TEST_F(Recordings, ThePeriodOfARunWithoutMarksIsTheTrainingStep) {
  analyse("h200/long_gpt3_1p3b.kernels.csv.gz");
  EXPECT_EQ(structure.iterations_found_by, IterationsFoundBy::period);
  const auto meta = nlohmann::json::parse(std::ifstream(data() / "h200/meta.json"));
  const auto& steps = meta.at("long_gpt3_1p3b").at("steps_ns");
  ASSERT_EQ(structure.iterations.size(), steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto start_ns = steps[k][0].get<std::int64_t>();
    EXPECT_NEAR(static_cast<double>(structure.iterations[k].start_ns - start_ns), 0, 3e6) << "step " << k;
  }
  expect_equal_layers(24, 159 * 15, 159 * 35);
}

TEST_F(Recordings, RandomBurstsHaveNeitherIterationsNorLayers) {
  analyse("h200/burstmix.kernels.csv.gz");
  EXPECT_TRUE(structure.iterations.empty());
  EXPECT_TRUE(structure.layer_names.empty());
  const std::set<Category> categories(structure.class_category.begin(), structure.class_category.end());
  EXPECT_FALSE(categories.contains(Category::other));
}

TEST_F(Recordings, ModulesNameTheLayersOfInference) {
  const std::map<std::string, std::pair<std::size_t, std::string>> expected{
      {"tl_h100_bert_small", {4, "BertLayer_0"}},       {"tl_h100_falconsai_vit", {12, "ViTLayer_0"}},
      {"tl_h100_qwen05b", {24, "Qwen2DecoderLayer_0"}}, {"tl_mi300_qwen05b", {24, "Qwen2DecoderLayer_0"}},
      {"tl_b200_eager", {36, "TransformerBlock_0"}},
  };
  for (const auto& [file, layers] : expected) {
    analyse("traces/kineto/" + file + ".json.gz");
    ASSERT_EQ(structure.layer_names.size(), layers.first) << file;
    EXPECT_EQ(structure.layer_names[0], layers.second) << file;
  }
}

TEST_F(Recordings, ADecodeStepInsideOneGraphIsOneStepOfManyLayers) {
  for (const auto& [file, layers] :
       {std::pair("tl_sglang_qwen3_decode", 36U), std::pair("tl_vllm_decode_fullgraph", 24U)}) {
    analyse(std::string("traces/kineto/") + file + ".json.gz");
    EXPECT_TRUE(structure.iterations.empty()) << file;
    EXPECT_EQ(structure.layer_names.size(), layers) << file;
    std::uint64_t decoded = 0;
    for (const Phase phase : structure.launch_phase) decoded += phase == Phase::decode ? 1U : 0U;
    EXPECT_GE(decoded + 1, trace.launches.size()) << file;
    const auto graph = std::find_if(structure.operator_names.begin(), structure.operator_names.end(),
                                    [](const std::string& name) { return name.starts_with("inside graph "); });
    EXPECT_NE(graph, structure.operator_names.end()) << file;
  }
}

TEST_F(Recordings, CommunicationIsWhatIndependentProgramsFound) {
  std::size_t with_communication = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data() / "traces/kineto")) {
    std::string name = entry.path().filename().string();
    name = name.substr(0, name.find(".json"));
    const auto truth_file = data() / ("traces/truth/kineto__" + name + ".json");
    if (!std::filesystem::exists(truth_file)) continue;
    const auto truth = nlohmann::json::parse(std::ifstream(truth_file));
    if (!truth.contains("nccl")) continue;
    SCOPED_TRACE(name);
    analyse(std::filesystem::path("traces/kineto") / entry.path().filename());
    const CommunicationOverlap overlap = communication_overlap(trace, structure.class_category);
    const auto nccl_ns = truth["nccl"]["sum_ns"].get<std::int64_t>();
    const auto other_ns = truth["other_collective_like"]["sum_ns"].get<std::int64_t>();
    EXPECT_EQ(overlap.comm_ns, nccl_ns + other_ns);
    if (overlap.comm_ns > 0) ++with_communication;
    if (other_ns > 0) continue;  // the overlap of these is not among the figures
    std::int64_t overlapped_ns = 0;
    for (const auto& device : truth["nccl"]["per_device"]) {
      overlapped_ns += device["overlap_with_compute_ns"].get<std::int64_t>();
    }
    EXPECT_EQ(overlap.overlapped_ns, overlapped_ns);
  }
  EXPECT_GE(with_communication, 3U);
}

}  // namespace
}  // namespace kernwatt::attribution
