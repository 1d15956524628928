// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/gpu_identifier.hpp"
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

constexpr const char* gpu_table = R"(
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, smCount INTEGER, uuid TEXT,
  cuDevice INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (1,1,'B','0000:af:00.0',132,'22222222-0000-1111-2222-333333333333',0),
  (1,0,'A','0000:08:00.0',66,'11111111-0000-1111-2222-333333333333',1);)";
constexpr const char* cuda_table = "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);";

run::Trace must_read(const Recording& recording) {
  auto trace = recording.read();
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : run::Trace{};
}

const run::GpuIdentity& gpu_of(const run::Trace& trace, std::size_t launch) {
  return trace.gpus.at(trace.streams.at(trace.launches.at(launch).stream).gpu);
}

TEST(NsysGpus, EachProcessCountsItsOwnWay) {
  // Both ranks call their GPU 0, each sees one of two (CUDA_VISIBLE_DEVICES).
  Recording recording;
  recording.with_tables()
      .sql(gpu_table)
      .sql(cuda_table)
      .sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,100),(1,0,200)");
  recording.kernel({.start = 100, .end = 200, .correlation = 1, .pid = 100})
      .kernel({.start = 300, .end = 400, .correlation = 1, .pid = 200});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.gpus.size(), 2U);
  EXPECT_EQ(gpu_of(trace, 0).name, "A");
  EXPECT_EQ(gpu_of(trace, 0).uuid, "GPU-11111111-0000-1111-2222-333333333333");
  EXPECT_EQ(gpu_of(trace, 0).pci_bus_id, "00000000:08:00.0");
  EXPECT_EQ(gpu_of(trace, 0).sm_count, 66);
  EXPECT_EQ(gpu_of(trace, 1).name, "B");
  EXPECT_EQ(gpu_of(trace, 1).pci_bus_id, "00000000:AF:00.0");
  EXPECT_EQ(gpu_of(trace, 1).index, 0);
  EXPECT_EQ(find_entry(trace, "trace.gpu-by-number"), nullptr);
}

TEST(NsysGpus, OneGpuUnderTwoNumbersIsOne) {
  Recording recording;
  recording.with_tables()
      .sql(gpu_table)
      .sql(cuda_table)
      .sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,100),(1,1,200)");
  recording.kernel({.start = 100, .end = 200, .correlation = 1, .pid = 100})
      .kernel({.start = 300, .end = 400, .correlation = 1, .pid = 200, .device = 1});
  EXPECT_EQ(must_read(recording).gpus.size(), 1U);
}

// IRREGULAR.md B2: ids in any order, an old schema without META_DATA_EXPORT and the later columns
TEST(NsysGpus, AreFoundByNumberInWhateverOrderTheyAreListed) {
  Recording recording;
  recording.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,2,1,7,1,5,0);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT);"
      "INSERT INTO TARGET_INFO_GPU VALUES (3,'d','0000:04:00.0'),(2,'c','0000:03:00.0'),(1,'b',''),(0,'a','');");
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(gpu_of(trace, 0).name, "c");
  EXPECT_EQ(gpu_of(trace, 0).index, 2);
  EXPECT_EQ(count_of(trace, "trace.gpu-by-number"), 1U);
}

// IRREGULAR.md B3: the table of GPUs was cut out
TEST(NsysGpus, AreKnownByNumberWhereTheFileDoesNotListThem) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 100, .end = 200, .correlation = 1, .device = 0})
      .kernel({.start = 300, .end = 400, .correlation = 2, .device = 1});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.gpus.size(), 2U);
  EXPECT_EQ(gpu_of(trace, 1).index, 1);
  EXPECT_TRUE(gpu_of(trace, 1).uuid.empty());
  EXPECT_EQ(count_of(trace, "trace.gpu-unknown"), 2U);
}

TEST(NsysGpus, ANumberThatTwoProcessesUseIsDoubtful) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 100, .end = 200, .correlation = 1, .pid = 100})
      .kernel({.start = 300, .end = 400, .correlation = 1, .pid = 200});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(trace.gpus.size(), 1U);
  EXPECT_EQ(count_of(trace, "trace.gpu-shared-number"), 1U);
}

TEST(NsysGpus, IdentifiersAreWrittenAsNvmlDoes) {
  EXPECT_EQ(normalized_uuid("9c25b7e3-0e46-6b8a-4096-2f8b132178ac"), "GPU-9c25b7e3-0e46-6b8a-4096-2f8b132178ac");
  EXPECT_EQ(normalized_uuid("GPU-9c25b7e3-0e46-6b8a-4096-2f8b132178ac"), "GPU-9c25b7e3-0e46-6b8a-4096-2f8b132178ac");
  EXPECT_EQ(normalized_uuid("00000000-0000-0000-0000-000000000000"), "");
  EXPECT_EQ(normalized_uuid("none"), "");
  EXPECT_EQ(normalized_bus_id("0000:0a:00.0"), "00000000:0A:00.0");
  EXPECT_EQ(normalized_bus_id("00000000:0A:00.0"), "00000000:0A:00.0");
  EXPECT_EQ(normalized_bus_id("0a:00.0"), "00000000:0A:00.0");
  EXPECT_EQ(normalized_bus_id("slot 3"), "");
}

}  // namespace
}  // namespace kernwatt::readers
