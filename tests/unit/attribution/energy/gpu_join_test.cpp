// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_join.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace kernwatt::attribution {
namespace {

std::vector<run::Trace> traces_of(std::initializer_list<run::GpuIdentity> gpus) {
  std::vector<run::Trace> traces(1);
  run::Trace& t = traces[0];
  t.file = "t.json";
  std::uint32_t g = 0;
  for (const run::GpuIdentity& gpu : gpus) {
    t.gpus.push_back(gpu);
    t.streams.push_back({g, run::none});
    run::Launch launch;
    launch.stream = g++;
    launch.duration_ns = 500;
    t.launches.push_back(launch);
  }
  return traces;
}

run::GpuIdentity device(int index, std::string uuid = "") {
  run::GpuIdentity id;
  id.index = index;
  id.uuid = std::move(uuid);
  return id;
}

std::vector<LoggedGpu> logged_of(std::initializer_list<run::GpuIdentity> gpus) {
  run::PowerLog log;
  for (const run::GpuIdentity& gpu : gpus) {
    run::GpuPower power;
    power.gpu = gpu;
    power.power_draw_w.push(0, 100);
    log.gpus.push_back(power);
  }
  QualityLedger quality;
  return merge_logs({log}, quality);
}

AttributeOptions select(std::string gpu) {
  AttributeOptions options;
  options.gpu_select = std::move(gpu);
  return options;
}

AttributeOptions map(std::string pairs) {
  AttributeOptions options;
  options.gpu_map = std::move(pairs);
  return options;
}

TEST(GpuJoin, UuidJoinsWhateverTheIndices) {
  QualityLedger q;
  const auto joined =
      join_gpus(traces_of({device(0, "GPU-bbbb")}), logged_of({device(0, "GPU-aaaa"), device(1, "GPU-bbbb")}), {}, q);
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ((*joined)[0].logged, 1U);
  EXPECT_TRUE(q.contains("join.unused-gpu"));
}

TEST(GpuJoin, OneOfEachIsTheSame) {
  QualityLedger q;
  const auto joined = join_gpus(traces_of({device(2)}), logged_of({{}}), {}, q);
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ((*joined)[0].logged, 0U);
  EXPECT_TRUE(q.contains("join.only-one"));
}

TEST(GpuJoin, OneOfEachWithDifferentUuidsIsNotTheSame) {
  QualityLedger q;
  EXPECT_FALSE(join_gpus(traces_of({device(0, "GPU-aaaa")}), logged_of({device(0, "GPU-bbbb")}), {}, q).has_value());
}

TEST(GpuJoin, AnIndexAmongSeveralIsNotGuessed) {
  QualityLedger q;
  const auto joined = join_gpus(traces_of({device(0)}), logged_of({device(0), device(1), device(2), device(3)}), {}, q);
  ASSERT_FALSE(joined.has_value());
  EXPECT_EQ(joined.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(joined.error().message.find("--map"), std::string::npos);
}

TEST(GpuJoin, TheUsersWordDecides) {
  QualityLedger q;
  const auto logged = logged_of({device(0, "GPU-aa"), device(1, "GPU-ab"), device(3, "GPU-c")});
  EXPECT_EQ((*join_gpus(traces_of({device(0)}), logged, select("3"), q))[0].logged, 2U);
  EXPECT_EQ((*join_gpus(traces_of({device(0)}), logged, select("gpu-ab"), q))[0].logged, 1U);
  EXPECT_FALSE(join_gpus(traces_of({device(0)}), logged, select("GPU-a"), q).has_value()) << "ambiguous prefix";
  EXPECT_FALSE(join_gpus(traces_of({device(0)}), logged, select("7"), q).has_value());
  const auto pair = join_gpus(traces_of({device(0), device(1)}), logged, select("0=3,1=GPU-aa"), q);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ((*pair)[0].logged, 2U);
  EXPECT_EQ((*pair)[1].logged, 0U);
  EXPECT_FALSE(join_gpus(traces_of({device(0), device(1)}), logged, select("0=3,1=3"), q).has_value())
      << "one GPU twice";
}

std::vector<run::Trace> two_ranks() {
  auto traces = traces_of({device(0)});
  traces[0].rank = 0;
  traces[0].file = "a/step.json";
  traces.push_back(std::move(traces_of({device(0)}).front()));
  traces[1].rank = 1;
  traces[1].file = "b/step.json";
  return traces;
}

TEST(GpuJoin, RanksThatBothCallTheirDeviceZeroAreToldApartByRankOrFile) {
  QualityLedger q;
  const auto logged = logged_of({device(0), device(1)});
  EXPECT_FALSE(join_gpus(two_ranks(), logged, {}, q).has_value());
  const auto ambiguous = join_gpus(two_ranks(), logged, map("0=1"), q);
  ASSERT_FALSE(ambiguous.has_value());
  EXPECT_NE(ambiguous.error().message.find("rank1:0"), std::string::npos) << ambiguous.error().message;
  for (const char* pairs : {"rank0=1,rank1=0", "rank0:0=1,rank1:0=0", "a/step.json=1,b/step.json:0=0"}) {
    const auto joined = join_gpus(two_ranks(), logged, map(pairs), q);
    ASSERT_TRUE(joined.has_value()) << pairs << ": " << joined.error().message;
    EXPECT_EQ((*joined)[0].logged, 1U);
    EXPECT_EQ((*joined)[1].logged, 0U);
  }
  EXPECT_FALSE(join_gpus(two_ranks(), logged, map("rank0=1,rank1=1"), q).has_value()) << "one GPU twice";
  EXPECT_FALSE(join_gpus(two_ranks(), logged, map("rank0"), q).has_value()) << "no pair";
  EXPECT_FALSE(join_gpus(two_ranks(), logged, map("rank7=1"), q).has_value());
  EXPECT_FALSE(join_gpus(two_ranks(), logged, map("step.json=1"), q).has_value()) << "a name of both files";
}

TEST(GpuJoin, OneGpuMayBeTracedTwiceAtDifferentTimes) {
  QualityLedger q;
  auto traces = two_ranks();
  traces[1].launches[0].start_ns = 1000;
  const auto joined = join_gpus(traces, logged_of({device(0)}), map("rank0=0,rank1=0"), q);
  ASSERT_TRUE(joined.has_value()) << joined.error().message;
}

TEST(GpuJoin, ThePciAddressJoinsInAnySpelling) {
  QualityLedger q;
  run::GpuIdentity traced = device(0);
  traced.pci_bus_id = "0000:1b:00.0";
  run::GpuIdentity a = device(0), b = device(1);
  a.pci_bus_id = "00000000:9D:00.0";
  b.pci_bus_id = "00000000:1B:00.0";
  const auto joined = join_gpus(traces_of({traced}), logged_of({a, b}), {}, q);
  ASSERT_TRUE(joined.has_value()) << joined.error().message;
  EXPECT_EQ((*joined)[0].logged, 1U);
}

TEST(GpuJoin, APciAddressOnTwoHostsIsAskedFor) {
  QualityLedger q;
  run::GpuIdentity traced = device(0);
  traced.pci_bus_id = "0000:1b:00.0";
  run::GpuIdentity a = device(0), b = device(0);
  a.pci_bus_id = b.pci_bus_id = "00000000:1B:00.0";
  a.host = "node0";
  b.host = "node1";
  const auto logged = logged_of({a, b});
  const auto unclear = join_gpus(traces_of({traced}), logged, {}, q);
  ASSERT_FALSE(unclear.has_value());
  const auto joined = join_gpus(traces_of({traced}), logged, map("0=node1:0"), q);
  ASSERT_TRUE(joined.has_value()) << joined.error().message;
  EXPECT_EQ((*joined)[0].logged, 1U);
}

TEST(GpuJoin, AGpuWhoseUuidNoLogHasStaysWithoutReadings) {
  QualityLedger q;
  const auto joined = join_gpus(traces_of({device(0, "GPU-aaaa"), device(1, "GPU-cccc")}),
                                logged_of({device(0, "GPU-aaaa"), device(1, "GPU-bbbb")}), {}, q);
  ASSERT_TRUE(joined.has_value()) << joined.error().message;
  EXPECT_EQ((*joined)[0].logged, 0U);
  EXPECT_EQ((*joined)[1].logged, run::none);
}

// replay/B30: the load is on the log's GPU 3, and the trace calls it device 0.
TEST(GpuJoin, TheGpuWhosePowerFollowsTheWorkIsProposedAndNotTaken) {
  auto traces = traces_of({device(0)});
  traces[0].launches.clear();
  for (int i = 0; i < 20; ++i) {
    run::Launch launch;
    launch.stream = 0;
    launch.start_ns = i * 2'000'000'000LL;
    launch.duration_ns = 1'000'000'000;
    traces[0].launches.push_back(launch);
  }
  run::PowerLog log;
  for (int g = 0; g < 4; ++g) {
    run::GpuPower power;
    power.gpu = device(g);
    for (int i = 0; i < 400; ++i) {
      const bool busy = i % 20 < 10;
      power.power_draw_w.push(i * 100'000'000LL + 50'000'000, g == 3 && busy ? 600 : 70 + (i + g) % 3);
    }
    log.gpus.push_back(power);
  }
  QualityLedger q;
  const auto joined = join_gpus(traces, merge_logs({log}, q), {}, q);
  ASSERT_FALSE(joined.has_value());
  EXPECT_NE(joined.error().message.find("--map 0=3"), std::string::npos) << joined.error().message;
}

run::PowerLog log_of(const std::string& file, run::GpuIdentity gpu, int seconds, double level, double swing = 5) {
  run::PowerLog log;
  log.file = file;
  log.gpus.resize(1);
  log.gpus[0].gpu = std::move(gpu);
  for (int i = 0; i < 10 * seconds; ++i)
    log.gpus[0].power_draw_w.push(i * 100'000'000LL, level + swing * ((i * 7) % 11 - 5));
  return log;
}

TEST(LogMerge, EqualNumbersOfTwoMachinesStayTwoGpus) {
  QualityLedger q;
  const auto logged = merge_logs({log_of("n0/gpu.csv", device(0), 60, 300), log_of("n1.csv", device(0), 60, 320)}, q);
  ASSERT_EQ(logged.size(), 2U);
  EXPECT_EQ(logged[0].name, "GPU 0 of gpu.csv");
  EXPECT_EQ(logged[1].name, "GPU 0 of n1.csv");
}

TEST(LogMerge, EqualLevelsInAnotherRhythmAreAnotherGpu) {
  const auto rhythm = [](const std::string& file, int on, int off) {
    run::PowerLog log = log_of(file, device(0), 60, 0, 0);
    auto& power = log.gpus[0].power_draw_w;
    for (std::size_t i = 0; i < power.size(); ++i)
      power.value[i] = static_cast<int>(i) / 10 % (on + off) < on ? 500 : 90;
    return log;
  };
  QualityLedger q;
  EXPECT_EQ(merge_logs({rhythm("a.csv", 3, 3), rhythm("b.csv", 5, 4)}, q).size(), 2U);
  EXPECT_EQ(merge_logs({rhythm("a.csv", 3, 3), rhythm("b.csv", 3, 3)}, q).size(), 1U);
}

TEST(LogMerge, AMapThatNamesBothFilesTellsThemApart) {
  QualityLedger q;
  const std::vector<run::PowerLog> logs{log_of("n/a.csv", device(0), 9, 300), log_of("n/b.csv", device(0), 9, 300)};
  EXPECT_EQ(merge_logs(logs, q).size(), 1U);
  const auto apart = merge_logs(logs, q, "rank0=a.csv:0,rank1=b.csv:0");
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_TRUE(join_gpus(two_ranks(), apart, map("rank0=a.csv:0,rank1=b.csv:0"), q).has_value());
}

TEST(LogMerge, OneLogGivenTwiceIsOneGpu) {
  QualityLedger q;
  const run::PowerLog log = log_of("a.csv", device(0, "GPU-aa"), 9, 300);
  EXPECT_EQ(merge_logs({log, log}, q).size(), 1U);
}

TEST(GpuJoin, OneGpuMappedTwiceIsRefused) {
  QualityLedger q;
  const auto logged = logged_of({device(3), device(4)});
  EXPECT_FALSE(join_gpus(traces_of({device(0)}), logged, map("0=3,0=4"), q).has_value());
  EXPECT_TRUE(join_gpus(traces_of({device(0)}), logged, map("0=3,0=3"), q).has_value());
}

TEST(LogMerge, HostsTellEqualNumbersApart) {
  QualityLedger q;
  run::GpuIdentity a = device(0), b = device(0);
  a.host = "node0";
  b.host = "node1";
  const auto logged = merge_logs({log_of("a.csv", a, 5, 300), log_of("b.csv", b, 5, 300)}, q);
  ASSERT_EQ(logged.size(), 2U);
  EXPECT_EQ(logged[0].name, "node0:0");
}

TEST(LogMerge, TheSameReadingsTwiceAreOneGpu) {
  QualityLedger q;
  const auto logged = merge_logs({log_of("a.csv", device(0), 30, 300), log_of("b.csv", device(0), 60, 300)}, q);
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].power.power_draw_w.size(), 600U);
  EXPECT_TRUE(q.contains("join.same-index"));
}

TEST(LogMerge, AFileAfterTheOtherContinuesIt) {
  QualityLedger q;
  run::PowerLog first = log_of("a.csv", device(0, "GPU-aa"), 10, 300);
  run::PowerLog second = first;
  second.file = "b.csv";
  for (auto& t : second.gpus[0].power_draw_w.time_ns) t += 20'000'000'000;
  for (const bool swapped : {false, true}) {
    const auto logged = swapped ? merge_logs({second, first}, q) : merge_logs({first, second}, q);
    ASSERT_EQ(logged.size(), 1U);
    const auto& times = logged[0].power.power_draw_w.time_ns;
    EXPECT_EQ(times.size(), 200U);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  }
}

TEST(GpuJoin, SamplesWithoutANameJoinTheOnlyOtherLog) {
  run::PowerLog a, b;
  a.gpus.resize(1);
  a.gpus[0].gpu = device(0, "GPU-aa");
  a.gpus[0].energy_mj.push(0, 1);
  b.gpus.resize(1);
  b.gpus[0].power_samples_w.push(0, 100);
  QualityLedger q;
  const auto logged = merge_logs({b, a}, q);
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].name, "GPU-aa");
  EXPECT_EQ(logged[0].power.power_samples_w.size(), 1U);
}

}  // namespace
}  // namespace kernwatt::attribution
