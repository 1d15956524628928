// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernwatt/readers/power/power_math.hpp"
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

const json& gpu_truth(const json& truth, const run::GpuPower& gpu) {
  const std::string key = gpu.gpu.index ? std::to_string(*gpu.gpu.index) : "0";
  return truth.at("per_gpu").at(key);
}

void compare(const ReadLog& read, std::size_t i, const json& truth) {
  const run::PowerSummary& summary = read.summary[i];
  EXPECT_EQ(summary.samples, truth.at("n_valid").get<std::uint64_t>());
  EXPECT_EQ(summary.missing, truth.at("n_missing").get<std::uint64_t>());
  const double energy_j = truth.at("trapezoid_J").get<double>();
  const PowerSensor sensor = sensor_for_energy(read.log.gpus[i]);
  EXPECT_NEAR(integrate_j(*sensor.series), energy_j, 1e-3 * energy_j);
  // A dead sensor has a sum and no energy (IRREGULAR.md C5).
  ASSERT_EQ(summary.energy_j.has_value(), truth.at("value_changes").get<int>() > 0);
  if (summary.energy_j) {
    EXPECT_NEAR(*summary.energy_j, energy_j, 1e-3 * energy_j);
  }
  // The truth's times are seconds as binary fractions, good to a quarter of a microsecond.
  EXPECT_NEAR(static_cast<double>(*summary.start_ns) * 1e-9, truth.at("first").get<double>(), 1e-6);
  EXPECT_NEAR(static_cast<double>(*summary.end_ns) * 1e-9, truth.at("last").get<double>(), 1e-6);
  EXPECT_NEAR(*summary.max_gap_s, truth.at("max_gap_s").get<double>(), 1e-6);
}

class PowerTruth : public testing::TestWithParam<std::string> {};

std::vector<std::string> truth_files() {
  std::vector<std::string> names;
  const auto folder = shared_dir() / "data/traces/truth";
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("power__smi_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// IRREGULAR.md C1, C2, C5 to C8
TEST_P(PowerTruth, CountsAreExactAndIntegralsAgreeToAThousandth) {
  const auto traces = shared_dir() / "data/traces";
  const json truth = json::parse(std::ifstream(traces / "truth" / GetParam()));
  const std::string file = GetParam().substr(11, GetParam().size() - 11 - 5);
  const ReadLog read = read_path(traces / "power" / file);
  ASSERT_EQ(read.summary.size(), truth.at("per_gpu").size());
  EXPECT_EQ(read.log.format, "nvidia-smi-csv");
  for (std::size_t i = 0; i < read.summary.size(); ++i) compare(read, i, gpu_truth(truth, read.log.gpus[i]));
}

INSTANTIATE_TEST_SUITE_P(Files, PowerTruth, testing::ValuesIn(truth_files()), [](const auto& instance) {
  std::string name = instance.param.substr(11, instance.param.size() - 20);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PowerTruth);

// IRREGULAR.md C6, BUGLOG.md B02
TEST(NvidiaSmiLog, EachSensorKeepsItsOwnSeries) {
  KERNWATT_NEEDS_SHARED();
  const auto traces = shared_dir() / "data/traces";
  const json truth = json::parse(std::ifstream(traces / "truth/power__smi_gpb_3090_5050.csv.json"));
  const ReadLog read = read_path(traces / "power/gpb_3090_5050.csv");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].power_instant_w.size(), 1690U);
  EXPECT_EQ(read.log.gpus[0].power_average_w.size(), 1690U);
  EXPECT_EQ(read.log.gpus[0].sm_mhz.size(), 1690U);
  EXPECT_NEAR(integrate_j(read.log.gpus[0].power_instant_w),
              truth.at("alt:power.draw.instant [W]").at("0").at("trapezoid_J").get<double>(), 1e-3);
}

// IRREGULAR.md C5, BUGLOG.md B45
TEST(NvidiaSmiLog, ADeadSensorIsNamedAndNotBelieved) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(shared_dir() / "data/traces/power/gpb_mlperf_unknown_error.csv");
  ASSERT_NE(read.entry("power.sensor-stuck"), nullptr);
  EXPECT_EQ(read.entry("power.sensor-stuck")->severity, Severity::error);
  EXPECT_NE(read.message("power.sensor-stuck").find("46.19 W"), std::string::npos);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_NE(read.message("power.missing-cells").find("12792 of 12792"), std::string::npos);
  EXPECT_TRUE(read.log.gpus[0].sm_mhz.empty());
}

// IRREGULAR.md C8
TEST(NvidiaSmiLog, AnIndexColumnOfSomethingElseDoesNotMakeEightGpusOne) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(shared_dir() / "data/traces/power/gpuglasses_8gpu_mislabelled.csv");
  ASSERT_EQ(read.log.gpus.size(), 8U);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(read.log.gpus[static_cast<std::size_t>(i)].gpu.index, i);
  EXPECT_NE(read.entry("power.index-mislabelled"), nullptr);
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

// IRREGULAR.md C7
TEST(NvidiaSmiLog, ASensorThatMovesOnceASecondIsSaid) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(shared_dir() / "data/traces/power/qwen3asr_gpu_log.csv");
  EXPECT_NE(read.message("power.slow-sensor").find("changes once in 1.00 s"), std::string::npos);
}

// IRREGULAR.md C25
TEST(NvidiaSmiLog, EveryColumnOfTheFullQueryIsUnderstoodOrLeft) {
  KERNWATT_NEEDS_SHARED();
  const auto folder = shared_dir() / "data/traces/derived";
  const json truth = json::parse(std::ifstream(shared_dir() / "data/traces/truth/smiall__captures.json"));
  for (const auto& [name, facts] : truth.items()) {
    const ReadLog read = read_path(folder / name);
    ASSERT_EQ(read.log.gpus.size(), 1U) << name;
    const run::GpuPower& gpu = read.log.gpus[0];
    const std::string draw = facts.at("power_columns").at("power.draw [W]").at(0).get<std::string>();
    ASSERT_EQ(gpu.power_draw_w.size(), 1U) << name;
    EXPECT_DOUBLE_EQ(gpu.power_draw_w.value[0], std::stod(draw)) << name;
    const std::string average = facts.at("power_columns").at("power.draw.average [W]").at(0).get<std::string>();
    EXPECT_EQ(gpu.power_average_w.empty(), average == "[N/A]") << name;
    const std::string limit = facts.at("power_columns").at("enforced.power.limit [W]").at(0).get<std::string>();
    EXPECT_DOUBLE_EQ(gpu.power_limit_w.value_or(0), std::stod(limit)) << name;
    const std::string instant = facts.at("power_columns").at("power.draw.instant [W]").at(0).get<std::string>();
    ASSERT_EQ(gpu.power_instant_w.size(), instant == "[N/A]" ? 0U : 1U) << name;
    if (instant != "[N/A]") {
      EXPECT_DOUBLE_EQ(gpu.power_instant_w.value[0], std::stod(instant)) << name;
    }
    if (average != "[N/A]") {
      EXPECT_DOUBLE_EQ(gpu.power_average_w.value.at(0), std::stod(average)) << name;
    }
    const bool capped = facts.at("power_columns").at("clocks_event_reasons.sw_power_cap").at(0) == "Active";
    ASSERT_EQ(gpu.event_reasons.size(), 1U) << name;
    EXPECT_EQ((gpu.event_reasons.value[0] & 0x4U) != 0, capped) << name;
    EXPECT_EQ(gpu.sm_mhz.size(), 1U) << name;
    EXPECT_EQ(gpu.mem_mhz.size(), 1U) << name;
    EXPECT_TRUE(gpu.gpu.uuid.empty()) << "a UUID of zeros names no GPU";
    EXPECT_FALSE(gpu.gpu.pci_bus_id.empty()) << name;
    EXPECT_FALSE(read.summary[0].energy_j) << "one reading has no energy";
    EXPECT_NE(read.entry("power.single-reading"), nullptr) << name;
  }
}

TEST(RecorderLog, CountersPowersAndClocksOfTheH200AreReadExactly) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(shared_dir() / "data/h200/long_gpt3_1p3b.power.csv.gz");
  EXPECT_EQ(read.log.format, "power-csv");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  const run::GpuPower& gpu = read.log.gpus[0];
  EXPECT_EQ(gpu.energy_mj.size(), 3242U);
  EXPECT_EQ(gpu.energy_mj.time_ns.front(), 1796025509998096005);
  EXPECT_EQ(gpu.energy_mj.value.front(), 48789512);
  EXPECT_DOUBLE_EQ(gpu.power_average_w.value.front(), 417.654);
  EXPECT_DOUBLE_EQ(gpu.power_instant_w.value.front(), 126.652);
  EXPECT_EQ(gpu.event_reasons.value.front(), 4U);
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 18152.658, 1e-9);
  EXPECT_NE(read.message("power.counter-resolution").find("once in 100 ms"), std::string::npos);
}

TEST(DriverSamples, AreSortedAndEachIsKeptOnce) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(shared_dir() / "data/h200/burstmix.power.samples.csv");
  EXPECT_EQ(read.log.format, "power-samples-csv");
  const auto& samples = read.log.gpus.at(0).power_samples_w;
  EXPECT_EQ(samples.size(), 1839U);
  EXPECT_EQ(samples.time_ns.front(), 1796025438381313000);
  EXPECT_DOUBLE_EQ(samples.value.front(), 394.314);
  EXPECT_TRUE(std::is_sorted(samples.time_ns.begin(), samples.time_ns.end()));
}

}  // namespace
}  // namespace kernwatt::readers
