// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

constexpr std::int64_t base = 1'700'000'000'000'000'000;

run::Trace must_read(const Recording& recording) {
  auto trace = recording.read();
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : run::Trace{};
}

TEST(NsysReader, KernelsCarryWhatTheirColumnsSay) {
  Recording recording;
  recording.with_tables().launch(90, 1).kernel({.start = 100, .end = 350, .correlation = 1});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 1U);
  const run::Launch& launch = trace.launches[0];
  EXPECT_EQ(launch.start_ns, base + 100);
  EXPECT_EQ(launch.duration_ns, 250);
  EXPECT_EQ(name_of(trace, launch), "void gemm<4>(float*)");
  const run::KernelClass& kernel = trace.classes[launch.kernel_class];
  EXPECT_EQ(kernel.grid, (run::Dim3{8, 2, 1}));
  EXPECT_EQ(kernel.block, (run::Dim3{128, 1, 1}));
  EXPECT_EQ(kernel.registers_per_thread, 32U);
  EXPECT_EQ(kernel.shared_memory_bytes, 1536U);
  EXPECT_EQ(text_of(trace, trace.streams[launch.stream].name), "7");
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.format, "nsys-sqlite");
}

TEST(NsysReader, CopiesAndSetsAreNoKernelsAndSynchronisationIsNoWork) {
  Recording recording;
  recording.with_tables().kernel({.start = 100, .end = 200, .correlation = 1}).sql(R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (200,300,0,1,7,2,281476652335104,64,1), (310,320,0,1,7,3,281476652335104,64,99);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (400,500,0,1,7,4,281476652335104,0,64);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (0,9000,0,7);
CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, end INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (0,9000);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (5,0);)");
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 4U);
  EXPECT_EQ(name_of(trace, trace.launches[1]), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(name_of(trace, trace.launches[2]), "[CUDA memcpy]");
  EXPECT_EQ(name_of(trace, trace.launches[3]), "[CUDA memset]");
  EXPECT_EQ(kind_of(trace, trace.launches[1]), run::LaunchKind::memcpy);
  EXPECT_EQ(kind_of(trace, trace.launches[3]), run::LaunchKind::memset);
}

// IRREGULAR.md B1: the table is absent, not empty
TEST(NsysReader, NoTableOfKernelsIsSaidWithWhatIsThere) {
  Recording recording;
  recording.sql(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1,'cuInit');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
      " correlationId INTEGER, nameId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,3,4,1);");
  const run::Trace trace = must_read(recording);
  EXPECT_TRUE(trace.launches.empty());
  const QualityEntry* entry = find_entry(trace, "trace.no-kernels");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->severity, Severity::error);
  EXPECT_THAT(entry->message, ::testing::HasSubstr("1 CUDA calls"));
  EXPECT_THAT(entry->message, ::testing::HasSubstr("launched nothing"));
}

// IRREGULAR.md B4 (and CASES.md 28): hand-made schemas
TEST(NsysReader, MinimalSchemasAreEnough) {
  Recording recording;
  recording.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, shortName TEXT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,0,7,1,'named in the row');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, correlationId INTEGER,"
      " globalTid INTEGER, nameId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,7,1,1,3);"
      "CREATE TABLE NVTX_EVENTS (text TEXT, globalTid INTEGER, start INTEGER, end INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES ('forward',1,0,30);");
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(name_of(trace, trace.launches[0]), "named in the row");
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), std::vector<std::string>{"forward"});
  EXPECT_FALSE(trace.time_is_absolute);
  EXPECT_NE(find_entry(trace, "trace.relative-time"), nullptr);
  EXPECT_FALSE(trace.classes[0].grid);
}

TEST(NsysReader, NamesFallBackFromDemangledToShortToMangled) {
  Recording recording;
  recording.sql(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1,'long<int>'),(2,'long'),(3,'_Z4longIiE');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER,"
      " shortName INTEGER, mangledName INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,1,2,3),(3,4,NULL,2,3),(5,6,77,NULL,3),(7,8,77,78,79);");
  const run::Trace trace = must_read(recording);
  std::vector<std::string> names;
  for (const run::Launch& launch : trace.launches) names.push_back(name_of(trace, launch));
  EXPECT_EQ(names, (std::vector<std::string>{"long<int>", "long", "_Z4longIiE", "(no name)"}));
  EXPECT_EQ(count_of(trace, "trace.without-name"), 1U);
}

TEST(NsysReader, LaunchesAreJoinedWithinTheirProcess) {
  // Two ranks of one recording count their launches from the same number.
  Recording recording;
  recording.with_tables()
      .range("of one", 0, 1000, 100, 100)
      .range("of two", 0, 1000, 200, 200)
      .launch(90, 1, 100, 100)
      .launch(95, 1, 200, 200)
      .kernel({.start = 100, .end = 200, .correlation = 1, .pid = 100, .device = 0})
      .kernel({.start = 101, .end = 200, .correlation = 1, .pid = 200, .device = 1});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), std::vector<std::string>{"of one"});
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), std::vector<std::string>{"of two"});
  EXPECT_EQ(trace.gpus.size(), 2U);
}

// CASES.md 27: dropped, doubled and damaged records
TEST(NsysReader, BadRowsAreSetAsideAndCounted) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 100, .end = 200, .correlation = 1})
      .kernel({.start = 100, .end = 200, .correlation = 1})  // an exact copy
      .kernel({.start = 100, .end = 200, .correlation = 2})  // another launch
      .kernel({.start = 300, .end = 250, .correlation = 3})  // negative
      .kernel({.start = 0, .end = 0, .correlation = 4})      // lost
      .sql(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 'soon','later',deviceId,contextId,streamId,9,globalPid,"
          "demangledName,shortName,mangledName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,"
          "staticSharedMemory,dynamicSharedMemory,graphNodeId,graphId FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1");
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(count_of(trace, "trace.duplicates"), 1U);
  EXPECT_EQ(count_of(trace, "trace.negative-durations"), 1U);
  EXPECT_EQ(count_of(trace, "trace.lost-timestamps"), 1U);
  EXPECT_EQ(count_of(trace, "trace.unreadable-times"), 1U);
}

TEST(NsysReader, LaunchesAndKernelsWithoutEachOtherAreCounted) {
  Recording recording;
  recording.with_tables()
      .launch(10, 1)
      .launch(20, 2)
      .launch(30, 3)
      .kernel({.start = 100, .end = 200, .correlation = 1})
      .kernel({.start = 300, .end = 400, .correlation = 50});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(count_of(trace, "trace.launches-without-kernel"), 2U);
  EXPECT_EQ(count_of(trace, "trace.kernels-without-launch"), 1U);
  EXPECT_THAT(message_of(trace, "trace.launches-without-kernel"), ::testing::HasSubstr("cudaLaunchKernel"));
}

// CASES.md 25: kernels launched by CUDA graphs, with a record for each node
TEST(NsysReader, KernelsOfGraphNodesKnowTheirGraph) {
  Recording recording;
  recording.with_tables().launch(90, 1, 100, 100, 4);
  for (int i = 0; i < 3; ++i) {
    recording.kernel({.start = 100 + 20 * i,
                      .end = 110 + 20 * i,
                      .correlation = 1,
                      .name = i == 1 ? 5 : 2,
                      .graph_node = std::to_string(40 + i),
                      .graph = "9"});
  }
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 3U);
  for (const run::Launch& launch : trace.launches) EXPECT_EQ(site_of(trace, launch).graph, 9);
  EXPECT_EQ(count_of(trace, "trace.graph-launches"), 3U);
}

TEST(NsysReader, GraphNodesWithoutTheGraphsNumberAreOfOneGraphAllTheSame) {
  Recording recording;
  recording.with_tables().launch(90, 1, 100, 100, 4).launch(190, 2, 100, 100, 4);
  for (int replay = 0; replay < 2; ++replay) {
    recording.kernel(
        {.start = 100 + 100 * replay, .end = 110 + 100 * replay, .correlation = 1 + replay, .graph_node = "4"});
    recording.kernel({.start = 120 + 100 * replay,
                      .end = 130 + 100 * replay,
                      .correlation = 1 + replay,
                      .name = 5,
                      .graph_node = "5"});
  }
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 4U);
  const auto graph = site_of(trace, trace.launches[0]).graph;
  ASSERT_TRUE(graph);
  EXPECT_EQ(site_of(trace, trace.launches[3]).graph, graph);
}

constexpr const char* graph_table = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER,
  graphExecId INTEGER);)";

// CASES.md 25, the variant: one record for each replay
TEST(NsysReader, RecordsOfWholeGraphsAreLaunchesOfTheirOwn) {
  Recording recording;
  recording.with_tables()
      .sql(graph_table)
      .range("decode", 0, 1000)
      .launch(90, 1, 100, 100, 4)
      .launch(290, 2, 100, 100, 4);
  recording.sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100,200,0,1,NULL,7,1,{0},5,6),"
                  "(300,400,0,1,NULL,7,2,{0},5,6)",
                  global_id(100)));
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(name_of(trace, trace.launches[0]), "CUDA graph 5");
  EXPECT_EQ(kind_of(trace, trace.launches[0]), run::LaunchKind::kernel);
  EXPECT_EQ(site_of(trace, trace.launches[0]).graph, 5);
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), std::vector<std::string>{"decode"});
  EXPECT_EQ(count_of(trace, "trace.graph-records"), 2U);
  EXPECT_EQ(find_entry(trace, "trace.graph-launches"), nullptr);
  EXPECT_EQ(find_entry(trace, "trace.no-kernels"), nullptr);
}

TEST(NsysReader, AGraphCountsOnceWhereItsKernelsAreThereToo) {
  Recording recording;
  recording.with_tables().sql(graph_table).launch(90, 1, 100, 100, 4);
  recording.kernel({.start = 100, .end = 150, .correlation = 1, .graph_node = "4"});
  recording.sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100,200,0,1,NULL,7,1,{0},5,6)", global_id(100)));
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.launches[0].duration_ns, 50);
  EXPECT_EQ(count_of(trace, "trace.graph-records-doubled"), 1U);
}

TEST(NsysReader, StreamsOfTwoContextsStayApart) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 100, .end = 200, .correlation = 1})
      .sql(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT "
          "300,400,deviceId,2,streamId,2,globalPid,demangledName,shortName,"
          "mangledName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,staticSharedMemory,"
          "dynamicSharedMemory,"
          "graphNodeId,graphId FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1");
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_NE(trace.launches[0].stream, trace.launches[1].stream);
  EXPECT_EQ(trace.gpus.size(), 1U);
}

TEST(NsysReader, KernelsOutOfOrderAreSorted) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 300, .end = 400, .correlation = 2})
      .kernel({.start = 100, .end = 200, .correlation = 1});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_LT(trace.launches[0].start_ns, trace.launches[1].start_ns);
  EXPECT_EQ(count_of(trace, "trace.out-of-order"), 1U);
}

TEST(NsysReader, WhatTheProfilerSaysIsHandedOn) {
  Recording recording;
  recording.with_tables()
      .kernel({.start = 1, .end = 2, .correlation = 1})
      .sql(
          "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
          "INSERT INTO DIAGNOSTIC_EVENT VALUES (0,1,'CUDA is fine'),(0,2,'Not all CUDA events might have been "
          "collected.'),"
          "(0,3,'CUPTI buffers were lost'),(0,2,'No NVTX events collected.');");
  const run::Trace trace = must_read(recording);
  std::vector<Severity> said;
  for (const QualityEntry& entry : trace.quality.entries()) {
    if (entry.id == "trace.profiler-says") said.push_back(entry.severity);
  }
  EXPECT_EQ(said, (std::vector<Severity>{Severity::info, Severity::warning}));
}

}  // namespace
}  // namespace kernwatt::readers
