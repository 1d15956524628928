// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

// IRREGULAR.md C26
TEST(SmiDmon, ReadingsAreThoseOfTheTruth) {
  KERNWATT_NEEDS_SHARED();
  const auto traces = shared_dir() / "data/traces";
  const json truth = json::parse(std::ifstream(traces / "truth/dmon__captures.json"));
  for (const auto& [file, facts] : truth.items()) {
    const ReadLog read = read_path(traces / "derived" / file);
    EXPECT_EQ(read.log.format, "nvidia-smi-dmon") << file;
    ASSERT_EQ(read.log.gpus.size(), facts.at("power").size()) << file;
    for (const auto& [gpu, powers] : facts.at("power").items()) {
      const run::GpuPower& read_gpu = read.log.gpus.at(static_cast<std::size_t>(std::stoi(gpu)));
      ASSERT_EQ(read_gpu.power_draw_w.size(), powers.size()) << file;
      for (std::size_t i = 0; i < powers.size(); ++i) {
        EXPECT_EQ(read_gpu.power_draw_w.value[i], std::stod(powers[i].get<std::string>())) << file;
      }
      EXPECT_EQ(read_gpu.rows, facts.at("rows").get<std::uint64_t>());
      EXPECT_EQ(read_gpu.sm_mhz.size(), powers.size());
      EXPECT_EQ(read_gpu.mem_mhz.size(), powers.size());
    }
    EXPECT_FALSE(read.summary.at(0).energy_j) << "no times, no energy";
    EXPECT_NE(read.entry("power.no-times"), nullptr) << file;
    EXPECT_EQ(read.entry("power.no-time-span"), nullptr) << "said once is enough";
  }
}

constexpr std::string_view dated_header =
    "#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk \n"
    "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz \n";

TEST(SmiDmon, WithDateAndTimeHasAnEnergy) {
  std::string text;
  for (int i = 0; i < 25; ++i) {
    if (i % 10 == 0) text += dated_header;
    for (int gpu = 0; gpu < 2; ++gpu) {
      text += fmt::format(" 20260105   12:00:{:02}      {}    {}     40      -      1      2   2619   1980 \n", i, gpu,
                          100 * (gpu + 1));
    }
    text += "\n";
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 2U);
  EXPECT_EQ(read.summary[0].start_ns, 1767614400000000000);
  EXPECT_NEAR(*read.summary[1].energy_j, 24 * 200, 1e-6);
  EXPECT_EQ(read.log.basis, run::TimeBasis::local_unknown);
  EXPECT_EQ(read.entry("power.header-repeated")->count, 2U);
}

TEST(SmiDmon, OfTheTimeOfDayPassesMidnight) {
  std::string text = "#Time        gpu    pwr  mclk   pclk \n#HH:MM:SS    Idx      W   MHz    MHz \n";
  for (int i = 0; i < 20; ++i) {
    const int second = (23 * 3600 + 59 * 60 + 50 + i) % 86400;
    text +=
        fmt::format(" {:02}:{:02}:{:02}      0    100   2619   1980 \n", second / 3600, second / 60 % 60, second % 60);
  }
  const ReadLog read = read_text(text);
  EXPECT_NEAR(*read.summary.at(0).energy_j, 1900, 1e-6);
  EXPECT_EQ(read.entry("power.midnight")->count, 1U);
  EXPECT_EQ(read.entry("power.time-backwards"), nullptr);
  EXPECT_EQ(read.log.basis, run::TimeBasis::unknown_zero);
}

TEST(SmiDmon, DashesAreMissingAndOtherColumnsAreLeft) {
  const ReadLog read = read_text(
      "#Date       Time        gpu    pwr  gtemp  gract  sbecc   pclk \n#YYYYMMDD   HH:MM:SS    Idx      W      C  "
      "GPM:% errs MHz\n"
      " 20260105   12:00:00      0      -     40      3      -   1980 \n"
      " 20260105   12:00:01      0    150     40      3      -   1980 \n"
      " 20260105   12:00:02      0    150     40      3      -   1980 \n 20260105   12:00:03      0    1");
  const run::GpuPower& gpu = read.log.gpus.at(0);
  EXPECT_EQ(gpu.rows, 3U);
  EXPECT_EQ(gpu.missing_power, 1U);
  EXPECT_NEAR(integral_j(read, 0), 150, 1e-6);
  EXPECT_NE(read.entry("power.torn-row"), nullptr);
}

TEST(SmiDmon, WithCommasAndWithoutMarkIsRead) {
  for (const std::string_view header :
       {"#gpu, pwr, gtemp, mclk, pclk\n#Idx, W, C, MHz, MHz\n", "gpu,pwr [W],gtemp [C],mclk [MHz],pclk [MHz]\n"}) {
    const ReadLog read = read_text(std::string(header) + "0, 150, 40, 2619, 1980\n1, 151, 40, 2619, 1980\n");
    ASSERT_EQ(read.log.gpus.size(), 2U) << header;
    EXPECT_EQ(read.log.gpus[1].power_draw_w.value.at(0), 151);
  }
}

// IRREGULAR.md C20: header and units again and again, GPU 1 before GPU 0, "GPU 0" is two words, N/A, trailing blanks.
std::string dcgmi(std::string_view prefix) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    if (i % 14 == 0) {
      text +=
          "#Entity   POWER   TOTEC          SMCLK   MMCLK   TMPTR   GRACT   \nID        W       mJ             MHz     "
          "MHz     C               \n";
    }
    for (const int gpu : {1, 0}) {
      text += fmt::format("{}GPU {}     {}.500 {}   1980    2619    40      N/A     \n", prefix, gpu, 100 + gpu + i % 2,
                          9'000'000 + 100'000 * (i - i % 3));
    }
    text += fmt::format("{}GPU-I 3   N/A     N/A            N/A     N/A     N/A     0.500   \n", prefix);
  }
  return text;
}

TEST(DcgmiDmon, WithoutTimesHasMeansAndTheCountersDifference) {
  const ReadLog read = read_text(dcgmi(""));
  EXPECT_EQ(read.log.format, "dcgmi-dmon");
  ASSERT_EQ(read.log.gpus.size(), 2U);
  EXPECT_EQ(read.log.gpus[0].gpu.index, 1);
  EXPECT_EQ(read.log.gpus[0].rows, 30U);
  EXPECT_EQ(read.log.gpus[0].power_draw_w.value[0], 101.5);
  EXPECT_EQ(read.log.gpus[0].sm_mhz.size(), 30U);
  EXPECT_FALSE(read.summary[0].energy_j);
  EXPECT_FALSE(read.summary[0].energy_counter_j);
  EXPECT_NE(read.message("power.no-times").find("30 reading(s), mean 102.00 W"), std::string::npos);
  ASSERT_EQ(read.log.totals.size(), 2U);
  EXPECT_NEAR(*read.log.totals[0].energy_j, 2700, 1e-9);
  EXPECT_EQ(read.log.totals[0].gpu.index, 1);
  EXPECT_EQ(read.entry("power.instances-skipped")->count, 30U);
}

TEST(DcgmiDmon, ATimeBeforeTheRowIsRead) {
  std::string text = "#Entity   POWER   \nID        W       \n";
  for (int i = 0; i < 10; ++i) text += fmt::format("2026-01-05T12:00:{:02}Z GPU 0     100.500 \n", i);
  const ReadLog read = read_text(text);
  EXPECT_NEAR(*read.summary.at(0).energy_j, 9 * 100.5, 1e-6);
  EXPECT_EQ(read.log.basis, run::TimeBasis::absolute);
}

std::string answer_json() {
  return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"gpu_power_watts","gpu":"0"},)"
         R"("value":[1767600000,"100"]}]}})";
}

TEST(PowerFormat, NamedForAFileOfAnotherKindIsRefusedWithWhatItIs) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"nvidia-smi-csv", "timestamp, index, power.draw [W]\n2026/01/05 12:00:00.000, 0, 100.00 W\n"},
      {"power-csv", "timestamp,gpu,power_w\n1767600000,0,100\n"},
      {"power-samples-csv", "time_us,power_mw\n1767600000000000,100000\n1767600000020000,100000\n"},
      {"nvidia-smi-query",
       "==============NVSMI LOG==============\nTimestamp : Tue Jul 14 09:00:27 2026\nGPU 00000000:01:00.0\n"
       "    Power Readings\n        Power Draw : 5.00 W\n"},
      {"nvidia-smi-xml",
       "<?xml version=\"1.0\"?><nvidia_smi_log><gpu id=\"00000000:01:00.0\"><power_readings><power_draw>5.00 "
       "W</power_draw></power_readings></gpu></nvidia_smi_log>"},
      {"nvidia-smi-dmon", "# gpu    pwr  gtemp\n# Idx      W      C\n    0    100     40\n"},
      {"nvidia-smi-table",
       "| NVIDIA-SMI 590 |\n|   0  NVIDIA H100   On  | 00000000:00:09.0 Off |  On |\n| N/A   52C    P0   43W /  700W | "
       "x |\n"},
      {"dcgmi-dmon", "#Entity   POWER\nID   W\nGPU 0  100.5\n"},
      {"prometheus-text", "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 100\n"},
      {"prometheus-json", answer_json()},
      {"metric-csv", "time,gpu,metric,value\n1767600000,0,power_watts,100\n"},
      {"zeus-windows-csv", "start_time,window_name,elapsed_time,gpu0_energy\n13588420.8,a,10.5,2924.4\n"},
      {"zeus-summary-csv",
       "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\na,b,1024,c,100,27.1,106.8\n"},
      {"codecarbon-csv",
       "timestamp,run_id,duration,emissions,energy_consumed,gpu_energy\n2026-01-05T12:00:00,r,10,1,1,1\n"}};
  for (const auto& [format, text] : files) {
    ASSERT_TRUE(try_text(text)) << format << ": " << try_text(text).error().text();
    EXPECT_EQ(try_text(text)->format, format);
    ASSERT_TRUE(try_text(text, format)) << format;
    for (const std::string_view other : power_formats()) {
      // A table of nvidia-smi's, or of samples, is a table of powers too.
      if (other == format || other == "power-csv") continue;
      const auto log = try_text(text, other);
      EXPECT_FALSE(log) << format << " was believed to be " << other;
    }
  }
  EXPECT_EQ(files.size(), power_formats().size());
}

TEST(SmiDmon, TheLineOfUnitsAloneTellsTheColumns) {
  const ReadLog read = read_text(
      "#YYYYMMDD, HH:MM:SS, Idx, W, C, C, MHz, MHz\n"
      " 20261130, 13:25:33, 0, 80, 36, 35, 3201, 345\n 20261130, 13:25:34, 0, 82, 37, 35, 3201, 1980\n");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  const run::GpuPower& gpu = read.log.gpus[0];
  EXPECT_EQ(gpu.power_draw_w.value, (std::vector<double>{80, 82}));
  EXPECT_EQ(gpu.temperature_c.value, (std::vector<double>{36, 37}));
  EXPECT_EQ(gpu.mem_mhz.value, (std::vector<double>{3201, 3201}));
  EXPECT_EQ(gpu.sm_mhz.value, (std::vector<double>{345, 1980}));
  EXPECT_TRUE(read.entry("power.no-header"));
}

}  // namespace
}  // namespace kernwatt::readers
