// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_join.hpp"

#include <gtest/gtest.h>

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

TEST(GpuJoin, UuidJoinsWhateverTheIndices) {
  QualityLedger q;
  const auto joined =
      join_gpus(traces_of({device(0, "GPU-bbbb")}), logged_of({device(0, "GPU-aaaa"), device(1, "GPU-bbbb")}), "", q);
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ((*joined)[0].logged, 1U);
  EXPECT_TRUE(q.contains("join.unused-gpu"));
}

TEST(GpuJoin, OneOfEachIsTheSame) {
  QualityLedger q;
  const auto joined = join_gpus(traces_of({device(2)}), logged_of({{}}), "", q);
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ((*joined)[0].logged, 0U);
  EXPECT_TRUE(q.contains("join.only-one"));
}

TEST(GpuJoin, OneOfEachWithDifferentUuidsIsNotTheSame) {
  QualityLedger q;
  EXPECT_FALSE(join_gpus(traces_of({device(0, "GPU-aaaa")}), logged_of({device(0, "GPU-bbbb")}), "", q).has_value());
}

TEST(GpuJoin, AnIndexAmongSeveralIsNotGuessed) {
  QualityLedger q;
  const auto joined = join_gpus(traces_of({device(0)}), logged_of({device(0), device(1), device(2), device(3)}), "", q);
  ASSERT_FALSE(joined.has_value());
  EXPECT_EQ(joined.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(joined.error().message.find("--gpu"), std::string::npos);
}

TEST(GpuJoin, TheUsersWordDecides) {
  QualityLedger q;
  const auto logged = logged_of({device(0, "GPU-aa"), device(1, "GPU-ab"), device(3, "GPU-c")});
  EXPECT_EQ((*join_gpus(traces_of({device(0)}), logged, "3", q))[0].logged, 2U);
  EXPECT_EQ((*join_gpus(traces_of({device(0)}), logged, "gpu-ab", q))[0].logged, 1U);
  EXPECT_FALSE(join_gpus(traces_of({device(0)}), logged, "GPU-a", q).has_value()) << "ambiguous prefix";
  EXPECT_FALSE(join_gpus(traces_of({device(0)}), logged, "7", q).has_value());
  const auto pair = join_gpus(traces_of({device(0), device(1)}), logged, "0=3,1=GPU-aa", q);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ((*pair)[0].logged, 2U);
  EXPECT_EQ((*pair)[1].logged, 0U);
  EXPECT_FALSE(join_gpus(traces_of({device(0), device(1)}), logged, "0=3,1=3", q).has_value()) << "one GPU twice";
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
