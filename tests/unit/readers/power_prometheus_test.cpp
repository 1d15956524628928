// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// What exporters and Prometheus answer, and tables with a metric per row.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kernwatt/readers/power/prometheus/metric_name.hpp"
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

std::filesystem::path traces() { return shared_dir() / "data/traces"; }

// IRREGULAR.md C22 to C24
TEST(Prometheus, PowersAndEnergiesAreThoseOfTheTruth) {
  KERNWATT_NEEDS_SHARED();
  const json truth = json::parse(std::ifstream(traces() / "truth/prom__all.json"));
  for (const auto& [file, facts] : truth.items()) {
    const ReadLog read = read_path(traces() / "derived" / file);
    const json& powers = facts.at("power");
    ASSERT_EQ(read.log.gpus.size(), powers.size()) << file;
    double sum_w = 0;
    for (std::size_t i = 0; i < powers.size(); ++i) {
      const run::GpuPower& gpu = read.log.gpus[i];
      EXPECT_EQ(std::to_string(gpu.gpu.index.value_or(-1)), powers[i].at(0).get<std::string>()) << file;
      ASSERT_EQ(gpu.power_draw_w.size(), 1U) << file;
      EXPECT_DOUBLE_EQ(gpu.power_draw_w.value[0], powers[i].at(2).get<double>()) << file;
      sum_w += gpu.power_draw_w.value[0];
      if (powers[i].size() > 3) {
        EXPECT_NEAR(static_cast<double>(gpu.power_draw_w.time_ns[0]) * 1e-9, powers[i].at(3).get<double>(), 1e-6);
      }
      EXPECT_FALSE(read.summary[i].energy_j) << "one reading has no energy";
    }
    if (facts.contains("power_sum_W")) {
      EXPECT_NEAR(sum_w, facts.at("power_sum_W").get<double>(), 1e-9) << file;
    }
    for (const json& energy : facts.value("energy", json::array())) {
      EXPECT_EQ(static_cast<double>(read.log.gpus.at(0).energy_mj.value.at(0)), energy.at(1).get<double>()) << file;
    }
    const QualityEntry* const blanks = read.entry("power.sentinel");
    EXPECT_EQ(blanks == nullptr ? 0U : blanks->count, facts.value("blank_int64", 0U)) << file;
  }
}

TEST(Prometheus, TheSameNumberOnTwoNodesIsTwoGpus) {  // IRREGULAR.md C22
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "derived/promapi_aicr_h100x8_0.json");
  ASSERT_EQ(read.log.gpus.size(), 16U);
  EXPECT_EQ(read.log.gpus[0].gpu.host, "gpu-node-1");
  EXPECT_EQ(read.log.gpus[8].gpu.host, "gpu-node-2");
  EXPECT_EQ(read.log.gpus[8].gpu.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

TEST(Prometheus, B09ACounterThatGoesDownIsSummedByItsRuns) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "replay/B09_counter_goes_down.prom.txt");
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_NEAR(*read.summary[0].energy_counter_j, 13'500, 1e-9);
  EXPECT_NEAR(integral_j(read, 0), 18'000, 1e-6);
  EXPECT_NE(read.message("power.counter-reset").find("15.000 s are not covered (about 4500.0 J"), std::string::npos);
}

TEST(Prometheus, B11PodsThatShareABoardAreOneBoard) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "replay/B11_time_sliced_pods.prom");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  ASSERT_EQ(read.log.gpus[0].power_draw_w.size(), 1U);
  EXPECT_DOUBLE_EQ(read.log.gpus[0].power_draw_w.value[0], 68.214);
  EXPECT_EQ(read.entry("power.repeated-series")->count, 2U);
}

TEST(Prometheus, B12TwoExportersOfOneBoardCountOnce) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "replay/B12_two_exporters.prom");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  ASSERT_EQ(read.log.gpus[0].power_draw_w.size(), 1U);
  EXPECT_DOUBLE_EQ(read.log.gpus[0].power_draw_w.value[0], 250.1);
}

TEST(Prometheus, B13AnAbsentGpuKeepsTheOthersNumbers) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "replay/B13_gpu_gap.prom");
  ASSERT_EQ(read.log.gpus.size(), 4U);
  EXPECT_EQ(read.log.gpus[3].gpu.index, 4);
  EXPECT_EQ(read.log.gpus[0].gpu.uuid, "GPU-0");
  EXPECT_NE(read.message("power.gpu-absent").find("GPU 3 is absent: 4 of 5"), std::string::npos);
}

TEST(Exposition, SeveralScrapesAreToldApartByTheirTimes) {
  const std::vector<std::string> marks{"# scrape 1767600{:03}\n", "### 2026-01-05T08:00:{:02}Z ###\n",
                                       "17676000{:02}\n"};
  for (const std::string& mark : marks) {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      text += fmt::format(fmt::runtime(mark), 10 * i + 1);
      text += "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W) at 1767600099.\n# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n";
      for (int g = 0; g < 2; ++g) {
        text += fmt::format("DCGM_FI_DEV_POWER_USAGE{{gpu=\"{}\",UUID=\"GPU-abc{}\"}} {}\n", g, g, 100 * (g + 1));
      }
    }
    const ReadLog read = read_text(text);
    ASSERT_EQ(read.summary.size(), 2U) << mark;
    EXPECT_EQ(read.summary[1].samples, 3U) << mark;
    ASSERT_TRUE(read.summary[1].energy_j) << mark;
    EXPECT_NEAR(*read.summary[1].energy_j, 2 * *read.summary[0].energy_j, 1e-6) << mark;
  }
}

TEST(Exposition, TimesOfSamplesGoBeforeThoseOfLines) {
  const ReadLog read = read_text(
      "# scrape 1767600000\n"
      "nvidia_smi_power_draw_watts{uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 100 1767600100000\n"
      "# scrape 1767600010\n"
      "nvidia_smi_power_draw_watts{uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 200 1767600110500\n");
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].start_ns, 1767600100000000000);
  EXPECT_NEAR(integral_j(read, 0), 10.5 * 150, 1e-6);
}

TEST(Exposition, WithoutTimesThereIsAMeanAndNoEnergy) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("DCGM_FI_DEV_POWER_USAGE{{gpu=\"0\",UUID=\"GPU-a\"}} {}\n# EOF\n", 100 + i);
  }
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.summary.at(0).samples, 4U);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_FALSE(read.summary[0].energy_counter_j);
  EXPECT_NE(read.message("power.no-times").find("4 reading(s), mean 101.50 W"), std::string::npos);
  EXPECT_EQ(read.log.basis, run::TimeBasis::unknown_zero);
}

TEST(Exposition, EscapesBlanksTabsAndExemplarsAreUnderstood) {
  const ReadLog read = read_text(
      "\t\tDCGM_FI_DEV_POWER_USAGE{ gpu = \"2\" , UUID=\"GPU-x\",modelName=\"a \\\"b\\\" \\\\ c, }\", } 55.5 # {} 1\r\n"
      "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"2\", UUID=\"GPU-x\"} 9223372036854775794\r\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"2\",UUID=\"GPU-x\"} 1980\r\nnot a sample at all\r\n");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_EQ(read.log.gpus[0].gpu.name, "a \"b\" \\ c, }");
  EXPECT_DOUBLE_EQ(read.log.gpus[0].power_draw_w.value.at(0), 55.5);
  EXPECT_DOUBLE_EQ(read.log.gpus[0].sm_mhz.value.at(0), 1980);
  EXPECT_EQ(read.entry("power.sentinel")->count, 1U);
  EXPECT_NE(read.message("power.bad-rows").find("not a sample at all"), std::string::npos);
}

TEST(Exposition, SentinelsAndNotANumberAreLeftOutAndTheRestIsKept) {  // CASES.md 9
  const ReadLog read = read_text(
      "# scrape 1767600000\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 9223372036854775794\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 101\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 40\n"
      "# scrape 1767600010\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} NaN\nDCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 103\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 41\n");
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_EQ(read.summary[0].samples, 0U);
  EXPECT_EQ(read.log.gpus[0].missing_power, 2U);
  EXPECT_EQ(read.log.gpus[0].temperature_c.size(), 2U);
  EXPECT_NEAR(integral_j(read, 1), 1020, 1e-6);
}

TEST(MetricName, UnitsAreTakenFromTheName) {
  const auto check = [](std::string_view name, ColumnRole role, double factor) {
    const Column column = metric_column(name);
    EXPECT_EQ(column.role, role) << name;
    if (role != ColumnRole::ignored) {
      EXPECT_DOUBLE_EQ(column.to_base, factor) << name;
    }
  };
  check("nvidia_smi_power_draw_watts", ColumnRole::power_draw, 1);
  check("nvidia_smi_power_draw_instant_watts", ColumnRole::power_instant, 1);
  check("nvidia_smi_power_draw_average_watts", ColumnRole::power_average, 1);
  check("nvidia_smi_enforced_power_limit_watts", ColumnRole::enforced_power_limit, 1);
  check("nvidia_smi_clocks_current_sm_clock_hz", ColumnRole::sm_clock, 1e-6);
  check("nvidia_smi_clocks_current_memory_clock_hz", ColumnRole::memory_clock, 1e-6);
  check("nvidia_gpu_power_usage_milliwatts", ColumnRole::power_draw, 1e-3);
  check("gpu_energy_joules_total", ColumnRole::energy, 1e3);
  check("kernwatt_gpu_energy_joules_total", ColumnRole::energy, 1e3);
  check("node_gpu_board_power_watts", ColumnRole::power_draw, 1);
  check("kepler_container_gpu_joules_total", ColumnRole::ignored, 0);
  check("node_cpu_power_watts", ColumnRole::ignored, 0);
  check("DCGM_FI_DEV_POWER_VIOLATION", ColumnRole::ignored, 0);
  check("DCGM_FI_PROF_SM_ACTIVE", ColumnRole::ignored, 0);
  check("nvidia_smi_power_max_limit_watts", ColumnRole::ignored, 0);
}

std::string answer(std::string_view type, std::string_view series) {
  return fmt::format(R"({{"status":"success","data":{{"resultType":"{}","result":[{}]}}}})", type, series);
}

std::string series_of(std::string_view metric, std::string_view labels, std::string_view values) {
  return fmt::format(R"({{"metric":{{"__name__":"{}",{}}},"values":[{}]}})", metric, labels, values);
}

TEST(ApiAnswer, ARangeGivesACourseOfPowerAndACounter) {
  const std::string power =
      series_of("DCGM_FI_DEV_POWER_USAGE", R"("gpu":"0","UUID":"GPU-a","Hostname":"n1")",
                R"([1767600000,"100"],[1767600010.5,"200"],[1767600020,"NaN"],[1767600030,"200"])");
  const std::string energy = series_of("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", R"("gpu":"0","UUID":"GPU-a")",
                                       R"([1767600000,"5000000"],[1767600010.5,"6575000"],[1767600030,"10475000"])");
  for (const std::string& text :
       {answer("matrix", power + "," + energy), answer("matrix", power) + "\n" + answer("matrix", energy),
        "[" + answer("matrix", power) + "," + answer("matrix", energy) + "]"}) {
    const ReadLog read = read_text(text);
    ASSERT_EQ(read.summary.size(), 1U) << text;
    EXPECT_EQ(read.log.format, "prometheus-json");
    EXPECT_EQ(read.summary[0].samples, 3U);
    EXPECT_EQ(read.summary[0].missing, 1U);
    EXPECT_EQ(read.summary[0].start_ns, 1767600000000000000);
    EXPECT_NEAR(integral_j(read, 0), 10.5 * 150 + 19.5 * 200, 1e-6);
    EXPECT_NEAR(*read.summary[0].energy_counter_j, 5475, 1e-9);
    EXPECT_EQ(read.log.gpus[0].gpu.host, "n1");
  }
}

TEST(ApiAnswer, WithoutUuidHostAndNumberTellTheGpus) {
  const std::string text = answer(
      "matrix",
      series_of("gpu_power_watts", R"("gpu":"0","instance":"a:9400")", R"([1767600000,"100"],[1767600010,"100"])") +
          "," +
          series_of("gpu_power_watts", R"("gpu":"0","instance":"b:9400")", R"([1767600000,"300"],[1767600010,"300"])"));
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_NE(read.summary[0].gpu, read.summary[1].gpu);
  EXPECT_NEAR(integral_j(read, 0) + integral_j(read, 1), 4000, 1e-6);
}

TEST(ApiAnswer, ErrorsEmptyAnswersAndNamelessSeriesAreSaid) {
  const auto message = [](const std::string& text) {
    const auto log = try_text(text);
    return log ? std::string("read") : log.error().message;
  };
  EXPECT_NE(
      message(R"({"status":"error","errorType":"bad_data","error":"parse error: unexpected"})").find("parse error"),
      std::string::npos);
  EXPECT_NE(message(answer("matrix", "")).find("found no series"), std::string::npos);
  EXPECT_NE(message(answer("matrix", R"({"metric":{"gpu":"0"},"values":[[1767600000,"100"]]})")).find("__name__"),
            std::string::npos);
  EXPECT_NE(
      message(answer("vector", R"({"metric":{"__name__":"up","job":"x"},"value":[1767600000,"1"]})")).find("none of"),
      std::string::npos);
  EXPECT_NE(message(R"({"status":"success","data":{"resultType")").find("no whole JSON"), std::string::npos);
  EXPECT_NE(message(R"({"status":"success","data":[1]})").find("no series"), std::string::npos);
}

TEST(ApiAnswer, ACutTailLosesOnlyItself) {
  const std::string one =
      answer("matrix", series_of("gpu_power_watts", R"("gpu":"0")", R"([1767600000,"100"],[1767600010,"100"])"));
  const ReadLog read = read_text(one + "\n" + one.substr(0, 60));
  EXPECT_NEAR(integral_j(read, 0), 1000, 1e-6);
  EXPECT_NE(read.entry("power.damaged-document"), nullptr);
}

// IRREGULAR.md C21: a metric per row, hosts with GPUs 0 to 7 each, one sample per GPU.
TEST(MetricCsv, GpusOfManyHostsAreToldApartAndOneSampleHasNoEnergy) {
  std::string text = "timestamp,hostname,gpu,metric_name,value,labels_raw\n";
  for (int host = 0; host < 31; ++host) {
    for (int gpu = 0; gpu < 8; ++gpu) {
      if (host == 7 && gpu == 3) continue;
      const std::string labels = fmt::format("\"{{gpu=\"\"{}\"\",job=\"\"a,b\"\"}}\"", gpu);
      text +=
          fmt::format("2026-01-05T12:00:00Z,dgx-{},{},DCGM_FI_DEV_POWER_USAGE,{},{}\n", host, gpu, 100 + gpu, labels);
      text += fmt::format("2026-01-05T12:00:00Z,dgx-{},{},DCGM_FI_DEV_GPU_TEMP,40,{}\n", host, gpu, labels);
      text += fmt::format("2026-01-05T12:00:00Z,dgx-{},{},DCGM_FI_DEV_GPU_UTIL,99,{}\n", host, gpu, labels);
    }
  }
  const ReadLog read = read_text(text);
  EXPECT_EQ(read.log.format, "metric-csv");
  ASSERT_EQ(read.log.gpus.size(), 247U);
  EXPECT_EQ(read.log.gpus[9].gpu.host, "dgx-1");
  EXPECT_EQ(read.log.gpus[9].gpu.index, 1);
  EXPECT_EQ(read.log.gpus[9].rows, 1U);
  EXPECT_EQ(read.log.gpus[9].temperature_c.size(), 1U);
  for (const run::PowerSummary& summary : read.summary) EXPECT_FALSE(summary.energy_j);
  EXPECT_EQ(read.entry("power.single-reading")->count, 247U);
  EXPECT_NE(read.message("power.gpu-absent").find("GPU 3 of dgx-7 is absent: 7 of 8"), std::string::npos);
}

TEST(MetricCsv, SeveralTimesGiveACourse) {
  const ReadLog read = read_text(
      "time,gpu,metric,value\n1767600000,0,power_watts,100\n1767600000,0,sm_clock_mhz,1980\n"
      "1767600010,0,power_watts,200\nnever,0,power_watts,200\n");
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_NEAR(integral_j(read, 0), 1500, 1e-6);
  EXPECT_EQ(read.log.gpus[0].sm_mhz.size(), 1U);
  EXPECT_EQ(read.entry("power.bad-rows")->count, 1U);
}

}  // namespace
}  // namespace kernwatt::readers
