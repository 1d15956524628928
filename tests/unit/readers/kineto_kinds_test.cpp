// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

// Recordings of other vendors, other accelerators and many ranks.
#include "tests/unit/readers/kineto_fixture.hpp"

namespace kernwatt::readers {
namespace {

using ::testing::HasSubstr;

run::Trace good(std::string text) {
  auto trace = read_text(std::move(text));
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : run::Trace{};
}

TEST(KinetoKinds, AmdKernelsAreJoinedByHipsCalls) {
  const std::string event =
      EventText{"kernel",
                "Cijk_Alik",
                "110",
                "10",
                "\"device\": 2, \"stream\": 0, \"correlation\": 5, \"kind\": \"Dispatch Kernel\", "
                "\"grid\": [64, 1, 1], \"block\": [256, 1, 1]",
                "2",
                "0"}
          .text();
  for (const char* call : {"hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel"}) {
    const auto trace = good(document(event + "," + launch_call("100", 5, "9", call),
                                     "\"deviceProperties\": [{\"id\": 2, \"name\": \"\", \"gcnArchName\": "
                                     "\"gfx942:sramecc+\", \"multiProcessorCount\": 304}]"));
    ASSERT_EQ(trace.launches.size(), 1U);
    EXPECT_EQ(text_of(trace, trace.streams[0].name), "0");
    EXPECT_EQ(trace.gpus[0].name, "gfx942:sramecc+");
    EXPECT_EQ(trace.gpus[0].sm_count, 304);
    EXPECT_EQ(find_entry(trace, "trace.kernels-without-launch"), nullptr) << call;
    EXPECT_EQ(find_entry(trace, "trace.launches-without-kernel"), nullptr) << call;
  }
}

TEST(KinetoKinds, GpuIdentifiersAreTakenWhereTheyAreThere) {
  const auto trace = good(document(kernel("k", "1", "1", 1),
                                   "\"deviceProperties\": [{\"id\": 0, \"name\": \"H200\", \"uuid\": "
                                   "\"9c25b7e3-0e46-6b8a-4096-2f8b132178ac\", \"pciBusId\": \"0000:0a:00.0\"}]"));
  EXPECT_EQ(trace.gpus[0].uuid, "GPU-9c25b7e3-0e46-6b8a-4096-2f8b132178ac");
  EXPECT_EQ(trace.gpus[0].pci_bus_id, "00000000:0A:00.0");
}

// IRREGULAR.md A9
TEST(KinetoKinds, OtherAcceleratorsAreNamed) {
  for (const auto& [category, name] :
       {std::pair("mtia_runtime", "MTIA"), std::pair("hpu_op", "Gaudi"), std::pair("xpu_runtime", "Intel"),
        std::pair("async_npu", "Ascend"), std::pair("privateuse1_runtime", "PrivateUse1"), std::pair("MPS", "MPS")}) {
    const auto trace = good(document(EventText{category, "op", "1", "5"}.text()));
    EXPECT_TRUE(trace.launches.empty());
    EXPECT_THAT(message_of(trace, "trace.no-kernels"), HasSubstr(name));
    EXPECT_THAT(message_of(trace, "trace.no-kernels"), HasSubstr(std::string("1 ") + category));
  }
}

// IRREGULAR.md A14: one of 128 ranks, without deviceProperties
TEST(KinetoKinds, ARankOfManyIsKnownByItsDistributedInfo) {
  const auto trace = good(document(kernel("ncclKernel_AllReduce_RING_LL_Sum_float", "1", "1", 1),
                                   "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 1, \"world_size\": 128}"));
  EXPECT_EQ(trace.rank, 1);
  EXPECT_EQ(trace.world_size, 128);
  EXPECT_EQ(trace.gpus[0].index, 0);
  EXPECT_TRUE(trace.gpus[0].name.empty());
}

TEST(KinetoKinds, TheWorldsSizeIsThatOfTheDefaultGroupToo) {
  const auto trace =
      good(document(kernel("k", "1", "1", 1),
                    "\"distributedInfo\": {\"rank\": \"3\", \"pg_config\": [{\"pg_desc\": \"undefined\", "
                    "\"pg_size\": 2}, {\"pg_desc\": \"default_pg\", \"pg_size\": 16}]}"));
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 16);
}

TEST(KinetoKinds, IllFormedDistributedInfoIsIgnoredAndSaid) {
  for (const char* info : {"\"unavailable\"", "[1, 2]", "7"}) {
    const auto trace = good(document(kernel("k", "1", "1", 1), fmt::format("\"distributedInfo\": {}", info)));
    EXPECT_FALSE(trace.rank);
    EXPECT_EQ(trace.launches.size(), 1U);
    EXPECT_EQ(count_of(trace, "trace.unreadable-member"), 1U) << info;
  }
  const auto trace = good(document(kernel("k", "1", "1", 1),
                                   "\"distributedInfo\": {\"rank\": -1, \"world_size\": \"many\", \"pg_config\": 3}"));
  EXPECT_FALSE(trace.rank);
  EXPECT_FALSE(trace.world_size);
}

// IRREGULAR.md A17: generated names stay apart, also those that differ in a number or late
TEST(KinetoKinds, GeneratedNamesStayApart) {
  const std::string tensile(300, 'T');
  const auto trace = good(
      document(kernel("triton_poi_fused_mul_2", "1", "1", 1) + "," + kernel("triton_poi_fused_mul_3", "3", "1", 2) +
               "," + kernel(tensile + "_SN_1", "5", "1", 3) + "," + kernel(tensile + "_SN_2", "7", "1", 4)));
  EXPECT_EQ(trace.classes.size(), 4U);
}

// CASES.md 29: an annotation over a collective is no device time
TEST(KinetoKinds, AnnotationsOfCollectivesAreNoDeviceTime) {
  const auto trace =
      good(document(EventText{"gpu_user_annotation", "nccl:all_reduce", "100", "50", "", "0", "7"}.text() + "," +
                    kernel("ncclDevKernel_Generic_4", "100", "50", 1)));
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(name_of(trace, trace.launches[0]), "ncclDevKernel_Generic_4");
}

}  // namespace
}  // namespace kernwatt::readers
