// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// nvidia-smi -q as text and XML, and the lists of supported clocks.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

std::filesystem::path traces() { return shared_dir() / "data/traces"; }

std::string xml_of(std::string_view time, std::string_view gpus) {
  return fmt::format(
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n"
      "<timestamp>{}</timestamp>\n<attached_gpus>1</attached_gpus>\n{}</nvidia_smi_log>\n",
      time, gpus);
}

std::string xml_gpu(std::string_view id, std::string_view power) {
  return fmt::format(
      "<gpu id=\"{}\"><product_name>NVIDIA A &amp; B</product_name>"
      "<gpu_power_readings>{}</gpu_power_readings></gpu>\n",
      id, power);
}

std::string text_of(std::string_view time, std::string_view body) {
  return fmt::format(
      "\n==============NVSMI LOG==============\n\nTimestamp                         : {}\n"
      "Driver Version                    : 590.48\n\nAttached GPUs                     : 1\n{}",
      time, body);
}

void compare_steps(const std::vector<double>& core, const json& truth, const std::string& name) {
  ASSERT_EQ(core.size(), truth.at("n").get<std::size_t>()) << name;
  EXPECT_EQ(*std::max_element(core.begin(), core.end()), truth.at("max").get<double>()) << name;
  EXPECT_EQ(*std::min_element(core.begin(), core.end()), truth.at("min").get<double>()) << name;
  EXPECT_EQ(std::is_sorted(core.rbegin(), core.rend()), truth.at("descending").get<bool>()) << name;
  std::map<int, int> steps;
  for (std::size_t i = 1; i < core.size(); ++i) ++steps[static_cast<int>(core[i - 1] - core[i])];
  for (const json& step : truth.at("steps")) {
    EXPECT_EQ(steps[step.at(0).get<int>()], step.at(1).get<int>()) << name << ": steps of " << step.at(0);
  }
}

// IRREGULAR.md C27
TEST(SupportedClocks, AreThoseOfTheTruthForEveryListing) {
  KERNWATT_NEEDS_SHARED();
  const json truth = json::parse(std::ifstream(traces() / "truth/clocks__all.json"));
  for (const auto& [file, gpus] : truth.items()) {
    const ReadLog read = read_path(traces() / "derived" / file);
    EXPECT_EQ(read.log.format, "nvidia-smi-query") << file;
    EXPECT_NE(read.entry("power.clocks-only"), nullptr) << file;
    ASSERT_EQ(read.log.supported_clocks.size(), gpus.size()) << file;
    for (const run::SupportedClocks& clocks : read.log.supported_clocks) {
      const json& lists = gpus.at(clocks.gpu.pci_bus_id);
      if (lists.is_string()) {
        EXPECT_EQ(lists.get<std::string>(), "N/A");
        EXPECT_TRUE(clocks.memory.empty()) << file;
        continue;
      }
      ASSERT_EQ(clocks.memory.size(), lists.size()) << file;
      for (const auto& under : clocks.memory) {
        compare_steps(under.core_mhz, lists.at(std::to_string(static_cast<int>(under.memory_mhz))), file);
      }
    }
  }
}

TEST(SupportedClocks, OfTwoListingsAmongAShellsPromptsAreBothRead) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "clocks/mertside_INFO_H100.txt");
  ASSERT_EQ(read.log.supported_clocks.size(), 2U);
  EXPECT_EQ(read.log.supported_clocks[0].gpu.pci_bus_id, "00000000:E1:00.0");
  EXPECT_EQ(read.log.supported_clocks[1].memory.at(1).memory_mhz, 1593);
  EXPECT_EQ(read.log.supported_clocks[1].memory.at(1).core_mhz.size(), 97U);
}

TEST(SupportedClocks, OfTheXmlAreThoseOfTheText) {
  KERNWATT_NEEDS_SHARED();
  for (const std::string card : {"quadro-p2000-v12", "rtx-3060-v12", "rtx-3080-v13", "rtx-4000-sff-ada-v13"}) {
    const ReadLog xml = read_path(traces() / fmt::format("clocks/telegraf_{}.xml", card));
    const ReadLog text = read_path(traces() / fmt::format("derived/clocks_telegraf_{}.txt", card));
    ASSERT_EQ(xml.log.supported_clocks.size(), 1U) << card;
    const auto& a = xml.log.supported_clocks[0].memory;
    const auto& b = text.log.supported_clocks.at(0).memory;
    ASSERT_EQ(a.size(), b.size()) << card;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].memory_mhz, b[i].memory_mhz);
      EXPECT_EQ(a[i].core_mhz, b[i].core_mhz);
    }
  }
}

TEST(SupportedClocks, ThatAreListedTwiceCountOnceAndDifferencesAreSaid) {
  const std::string list =
      "GPU 00000000:01:00.0\n    Supported Clocks\n        Memory        : 2619 MHz\n"
      "            Graphics  : 1980 MHz\n            Graphics  : 1965 MHz\n";
  const std::string once = text_of("Tue Jul 14 09:00:27 2026", list);
  EXPECT_EQ(read_text(once + once).log.supported_clocks.size(), 1U);
  EXPECT_EQ(read_text(once + once).entry("power.clock-lists-differ"), nullptr);
  const ReadLog other =
      read_text(once + text_of("Tue Jul 14 09:00:28 2026", list + "            Graphics  : 1950 MHz\n"));
  EXPECT_NE(other.entry("power.clock-lists-differ"), nullptr);
  EXPECT_EQ(other.log.supported_clocks.at(0).memory.at(0).core_mhz.size(), 3U);
}

TEST(SmiXml, OfDriver535HasItsPowerInTheRenamedElement) {  // BUGLOG.md B43
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "replay/B43_driver535_power.xml");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  const run::GpuPower& gpu = read.log.gpus[0];
  ASSERT_EQ(gpu.power_draw_w.size(), 1U);
  EXPECT_DOUBLE_EQ(gpu.power_draw_w.value[0], 26.84);
  EXPECT_EQ(gpu.power_limit_w, 450.0);
  EXPECT_EQ(gpu.gpu.pci_bus_id, "00000000:01:00.0");
  EXPECT_EQ(read.entry("power.module-scope"), nullptr) << "module N/A is not a reading";
  EXPECT_EQ(read.log.basis, run::TimeBasis::local_unknown);
}

TEST(SmiXml, OfBothGenerationsIsRead) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog old = read_path(traces() / "clocks/telegraf_gtx-1660-ti.xml");
  ASSERT_EQ(old.log.gpus.size(), 1U);
  EXPECT_DOUBLE_EQ(old.log.gpus[0].power_draw_w.value.at(0), 8.93);
  EXPECT_EQ(old.log.gpus[0].event_reasons.value.at(0), 1U);
  EXPECT_TRUE(old.log.supported_clocks.at(0).memory.empty());
  const ReadLog young = read_path(traces() / "clocks/telegraf_rtx-3060-v12.xml");
  const run::GpuPower& gpu = young.log.gpus.at(0);
  EXPECT_EQ(gpu.gpu.uuid, "GPU-d6889ff6-2523-9142-ca3c-1ca3f396a625");
  EXPECT_EQ(gpu.gpu.name, "NVIDIA GeForce RTX 3060");
  EXPECT_DOUBLE_EQ(gpu.power_average_w.value.at(0), 11.60);
  EXPECT_DOUBLE_EQ(gpu.power_instant_w.value.at(0), 11.63);
  EXPECT_TRUE(gpu.power_draw_w.empty());
  EXPECT_DOUBLE_EQ(gpu.sm_mhz.value.at(0), 210);
  EXPECT_DOUBLE_EQ(gpu.mem_mhz.value.at(0), 405);
  EXPECT_DOUBLE_EQ(gpu.temperature_c.value.at(0), 42);
}

TEST(SmiXml, MigDevicesAreNoMoreGpusAndAbsentOnesAreCounted) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "clocks/telegraf_a100-sxm4-v12.xml");
  ASSERT_EQ(read.log.gpus.size(), 1U);
  EXPECT_DOUBLE_EQ(read.log.gpus[0].power_draw_w.value.at(0), 67.03);
  EXPECT_NE(read.message("power.gpu-absent").find("4 GPUs are attached and 1 described"), std::string::npos);
}

TEST(SmiXml, ALoopOfDocumentsIsACourseOfPower) {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += xml_of(fmt::format("Mon Jan  5 12:00:0{} 2026", i),
                   xml_gpu("00000000:01:00.0", fmt::format("<power_draw>{}.00 W</power_draw>", 100 + 10 * i)));
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].samples, 5U);
  EXPECT_NEAR(*read.summary[0].energy_j, 480, 1e-9);
  EXPECT_EQ(read.log.gpus[0].gpu.name, "NVIDIA A & B");
  // Cut in the last document: the others stand.
  const ReadLog torn = read_text(text.substr(0, text.size() - 60));
  EXPECT_EQ(torn.summary.at(0).samples, 4U);
  EXPECT_NE(torn.entry("power.damaged-document"), nullptr);
  // Damage in one document does not take the next ones away.
  std::string damaged = text;
  damaged.replace(damaged.find("</gpu>"), 6, "</gap>");
  const ReadLog rest = read_text(damaged);
  EXPECT_GE(rest.summary.at(0).samples, 3U);
  EXPECT_NE(rest.entry("power.damaged-document"), nullptr);
}

TEST(SmiXml, EveryCutIsAnErrorOrWhatCameBeforeIt) {
  const std::string whole =
      xml_of("Mon Jan  5 12:00:00 2026", xml_gpu("00000000:01:00.0", "<power_draw>100.00 W</power_draw>")) +
      xml_of("Mon Jan  5 12:00:01 2026", xml_gpu("00000000:01:00.0", "<power_draw>100.00 W</power_draw>"));
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const auto log = try_text(whole.substr(0, length), "nvidia-smi-xml");
    if (!log) {
      EXPECT_FALSE(log.error().message.empty());
      continue;
    }
    for (const double watts : log->gpus.at(0).power_draw_w.value) EXPECT_EQ(watts, 100.0) << "cut at " << length;
  }
}

TEST(SmiXml, HostileDocumentsAreRefusedAtOnce) {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE nvidia_smi_log [\n<!ENTITY a \"aaaaaaaaaa\">\n";
  for (char c = 'b'; c < 'z'; ++c) {
    std::string ten;
    for (int i = 0; i < 10; ++i) ten += fmt::format("&{};", static_cast<char>(c - 1));
    bomb += fmt::format("<!ENTITY {} \"{}\">\n", c, ten);
  }
  bomb += "]>\n<nvidia_smi_log><gpu id=\"&y;\"><product_name>&y;</product_name></gpu></nvidia_smi_log>\n";
  const auto refused = try_text(bomb);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("entities"), std::string::npos);
  std::string deep = "<?xml version=\"1.0\"?><nvidia_smi_log>";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  const auto nested = try_text(deep);
  ASSERT_FALSE(nested);
  EXPECT_NE(nested.error().message.find("nested"), std::string::npos);
  const auto external = try_text(
      "<?xml version=\"1.0\"?><!DOCTYPE nvidia_smi_log SYSTEM \"file:///dev/zero\"><nvidia_smi_log>"
      "<gpu id=\"00000000:01:00.0\"><gpu_power_readings><power_draw>5.00 W</power_draw></gpu_power_readings></gpu>"
      "</nvidia_smi_log>");
  ASSERT_TRUE(external) << external.error().text();
  EXPECT_EQ(external->gpus.at(0).power_draw_w.size(), 1U) << "read without fetching anything";
}

TEST(SmiText, TheWholeListingIsUnderstood) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "clocks/linux-x86_64__nvidia-h100-mig__590.48.01.txt");
  EXPECT_EQ(read.log.format, "nvidia-smi-query");
  ASSERT_EQ(read.log.gpus.size(), 1U) << "MIG devices are parts of the GPU";
  const run::GpuPower& gpu = read.log.gpus[0];
  EXPECT_EQ(gpu.gpu.pci_bus_id, "00000000:00:09.0");
  EXPECT_TRUE(gpu.gpu.uuid.empty()) << "a UUID of zeros names nobody";
  EXPECT_EQ(gpu.gpu.name, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(gpu.rows, 2U) << "one listing idle, one under load";
  EXPECT_DOUBLE_EQ(gpu.power_average_w.value[0], 71.27);
  EXPECT_DOUBLE_EQ(gpu.power_instant_w.value[0], 72.63);
  EXPECT_EQ(gpu.power_limit_w, 700.0);
  EXPECT_DOUBLE_EQ(gpu.sm_mhz.value[0], 345);
  EXPECT_DOUBLE_EQ(gpu.mem_mhz.value[0], 2619);
  EXPECT_DOUBLE_EQ(gpu.temperature_c.value[0], 42);
  EXPECT_EQ(gpu.event_reasons.value[0], 1U);
}

TEST(SmiText, OldNamesAndActiveReasonsAreRead) {
  const std::string body =
      "GPU 00000000:3B:00.0\n    Product Name                  : Tesla V100\n"
      "    GPU UUID                      : GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee\n"
      "    Clocks Throttle Reasons\n        Idle                      : Not Active\n"
      "        SW Power Cap              : Active\n        HW Slowdown               : Active\n"
      "            HW Thermal Slowdown   : Not Active\n            HW Power Brake Slowdown : Active\n"
      "    Power Readings\n        Power Management          : Supported\n        Power Draw                : 249.50 "
      "W\n"
      "        Power Limit               : 250.00 W\n        Enforced Power Limit      : 240.00 W\n"
      "    Module Power Readings\n        Power Draw                : 600.00 W\n"
      "    Clocks\n        Graphics                  : 1380 MHz\n        Memory                    : 877 MHz\n"
      "    Max Clocks\n        Graphics                  : 1530 MHz\n        SM                        : 1530 MHz\n";
  const ReadLog read = read_text(text_of("Tue Jul 14 09:00:27 2026", body));
  const run::GpuPower& gpu = read.log.gpus.at(0);
  EXPECT_EQ(gpu.gpu.uuid, "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
  EXPECT_DOUBLE_EQ(gpu.power_draw_w.value.at(0), 249.5);
  EXPECT_EQ(gpu.power_limit_w, 240.0);
  EXPECT_EQ(gpu.event_reasons.value.at(0), 0x8cU);
  EXPECT_DOUBLE_EQ(gpu.sm_mhz.value.at(0), 1380) << "without an SM clock the graphics clock; never the maximum";
  EXPECT_NE(read.entry("power.module-scope"), nullptr);
}

TEST(SmiText, NotAvailableIsMissingAndNotZero) {
  const std::string body =
      "GPU 00000000:3B:00.0\n    GPU Power Readings\n        Power Draw                : N/A\n"
      "    Clocks\n        SM                        : 1380 MHz\n";
  const ReadLog read = read_text(text_of("Tue Jul 14 09:00:27 2026", body) + text_of("Tue Jul 14 09:00:28 2026", body));
  const run::GpuPower& gpu = read.log.gpus.at(0);
  EXPECT_TRUE(gpu.power_draw_w.empty());
  EXPECT_EQ(gpu.missing_power, 2U);
  EXPECT_EQ(gpu.sm_mhz.size(), 2U);
  EXPECT_FALSE(read.summary.at(0).energy_j);
  EXPECT_NE(read.entry("power.gpu-without-power"), nullptr);
}

TEST(SmiTable, EachDrawingIsARoundOfReadings) {
  KERNWATT_NEEDS_SHARED();
  const ReadLog read = read_path(traces() / "power/hstu_smi_table_loop.txt");
  EXPECT_EQ(read.log.format, "nvidia-smi-table");
  ASSERT_EQ(read.log.gpus.size(), 6U);
  const run::GpuPower& gpu = read.log.gpus[2];
  EXPECT_EQ(gpu.gpu.index, 2);
  EXPECT_EQ(gpu.gpu.pci_bus_id, "00000000:08:00.0");
  EXPECT_EQ(gpu.gpu.name, "NVIDIA GeForce RTX 3090");
  ASSERT_EQ(gpu.power_draw_w.size(), 5U);
  EXPECT_EQ(gpu.power_draw_w.value[0], 246);
  EXPECT_EQ(gpu.power_draw_w.value[1], 238);
  EXPECT_EQ(gpu.power_limit_w, 350.0);
  EXPECT_EQ(gpu.temperature_c.value[0], 60);
  // Five instants in thirteen hours are no course of power.
  EXPECT_FALSE(read.summary[2].energy_j);
  EXPECT_NE(read.entry("power.sparse"), nullptr);
}

TEST(SmiTable, OfOneSecondStepsHasAnEnergyAndErrorsAreMissing) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += fmt::format(
        "Tue Jul 14 09:00:{:02} 2026       \n+------+------+------+\n| NVIDIA-SMI 590.48.01  Driver Version: 590.48.01 "
        "CUDA Version: 13.1     |\n|   0  NVIDIA H100 80GB HBM3   On  |   00000000:00:09.0 Off |   On |\n"
        "| N/A   52C    P0   {} /  700W |  11125MiB /  81559MiB |  N/A  Default |\n+----+\n| Processes:   |\n"
        "|    0    2    0   21180   C   ./bin/memory_hog        2296MiB |\n",
        i, i == 5 ? "N/A" : "432W");
  }
  const ReadLog read = read_text(text);
  ASSERT_EQ(read.summary.size(), 1U);
  EXPECT_EQ(read.summary[0].samples, 11U);
  EXPECT_EQ(read.log.gpus[0].missing_power, 1U);
  EXPECT_NEAR(*read.summary[0].energy_j, 11 * 432, 1e-9);
  EXPECT_EQ(read.log.gpus[0].gpu.name, "NVIDIA H100 80GB HBM3");
}

}  // namespace
}  // namespace kernwatt::readers
