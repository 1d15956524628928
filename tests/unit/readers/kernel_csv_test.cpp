// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kernel_csv/kernel_csv.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "kernwatt/readers/io/byte_source.hpp"

namespace kernwatt::readers {
namespace {

Result<run::Trace> read(std::string text) {
  KERNWATT_TRY(const auto source, ByteSource::from_memory(std::move(text)));
  return read_kernel_csv(*source, "trace.csv", {});
}

run::Trace good(std::string text) {
  auto trace = read(std::move(text));
  if (!trace) {
    ADD_FAILURE() << trace.error().text();
    return {};
  }
  return std::move(*trace);
}

TEST(KernelCsv, ReadsLaunchesWithTheirShapes) {
  const run::Trace trace = good(
      "name,category,start_ns,duration_ns,stream,grid,block\n"
      "\"void gemm<4, \"\"x\"\">(int, float)\",kernel,1796025468822888453,80032,7,131072x1x1,128x2x1\n"
      "Memset (Device),memset,1796025468822969605,1024,7,,\n");
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.format, "kernel-csv");
  EXPECT_EQ(trace.launches[0].start_ns, 1796025468822888453);
  EXPECT_EQ(trace.launches[0].duration_ns, 80032);
  const run::KernelClass& gemm = trace.classes[trace.launches[0].kernel_class];
  EXPECT_EQ(trace.names.at(gemm.name), "void gemm<4, \"x\">(int, float)");
  EXPECT_EQ(gemm.grid, (run::Dim3{131072, 1, 1}));
  EXPECT_EQ(gemm.block, (run::Dim3{128, 2, 1}));
  const run::KernelClass& memset = trace.classes[trace.launches[1].kernel_class];
  EXPECT_EQ(memset.kind, run::LaunchKind::memset);
  EXPECT_FALSE(memset.grid);
  EXPECT_EQ(trace.names.at(trace.streams[trace.launches[0].stream].name), "7");
}

TEST(KernelCsv, ColumnsComeInAnyOrderAndTheOptionalOnesAreKept) {
  const run::Trace trace = good(
      "duration_ns,device,stream,name,start_ns,operator,range,phase,iteration,registers,shared_memory,mine,"
      "correlation\n"
      "100,1,7,k,1000,aten::mm,layers.3/attention,forward,step 5,64,4096,x,9\n"
      "100,0,7,k,2000,aten::mm,layers.3/attention,forward,step 5,64,4096,y,10\n");
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_FALSE(trace.time_is_absolute);
  ASSERT_EQ(trace.gpus.size(), 2U);
  EXPECT_EQ(trace.gpus[trace.streams[trace.launches[0].stream].gpu].index, 1);
  EXPECT_EQ(trace.sites.size(), 1U);
  EXPECT_EQ(trace.calls.size(), 2U);
  const run::Site& site = trace.sites[0];
  EXPECT_EQ(trace.names.at(site.op), "aten::mm");
  ASSERT_EQ(site.ranges.size(), 3U);
  EXPECT_EQ(trace.names.at(site.ranges[0]), "forward");
  EXPECT_EQ(trace.names.at(site.ranges[1]), "layers.3");
  ASSERT_EQ(trace.iteration_marks.size(), 1U);
  EXPECT_EQ(trace.iteration_marks[0].start_ns, 1000);
  EXPECT_EQ(trace.iteration_marks[0].end_ns, 2100);
  EXPECT_EQ(trace.classes[0].registers_per_thread, 64U);
  EXPECT_EQ(trace.classes[0].shared_memory_bytes, 4096U);
}

TEST(KernelCsv, LaunchesAreSortedAndLossesCounted) {
  const run::Trace trace = good(
      "name,start_ns,duration_ns\nb,2000,10\na,1000,10\nc,3000,-5\nd,x,10\n\"e\xff\",4000,1\nname,start_ns,duration_"
      "ns\n"
      "f,5000,1\ng,60");
  ASSERT_EQ(trace.launches.size(), 4U);
  EXPECT_EQ(trace.launches[0].start_ns, 1000);
  for (const char* id : {"trace.out-of-order", "trace.negative-durations", "trace.bad-rows", "trace.repaired-encoding",
                         "trace.header-repeated", "trace.torn-row"}) {
    EXPECT_TRUE(trace.quality.contains(id)) << id;
  }
  EXPECT_EQ(trace.names.at(trace.classes[trace.launches[2].kernel_class].name), "e\\xff");
}

TEST(KernelCsv, TimesAtTheEdgeOfTheIntegersDoNotOverflow) {
  const auto largest = std::to_string(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(read("name,start_ns,duration_ns\na," + largest + "," + largest + "\n"));
  const run::Trace trace = good("name,start_ns,duration_ns\na," + largest + ",0\n");
  EXPECT_EQ(trace.launches[0].end_ns(), std::numeric_limits<std::int64_t>::max());
}

TEST(KernelCsv, CopiesAloneAreNotAnEmptyAnswer) {
  const run::Trace trace = good("name,category,start_ns,duration_ns\nMemcpy HtoD,gpu_memcpy,5,6\n");
  EXPECT_TRUE(trace.quality.contains("trace.no-kernels"));
  EXPECT_EQ(trace.quality.worst(), Severity::error);
}

TEST(KernelCsv, OtherFilesAreRefusedWithWhatIsMissing) {
  EXPECT_NE(read("time,watts\n1,2\n").error().message.find("start_ns"), std::string::npos);
  EXPECT_FALSE(read("name,start_ns,duration_ns\nx,y,z\n"));
  EXPECT_FALSE(read(std::string(100'000, '\0')));
  EXPECT_EQ(kernel_csv_format_of("name,category,start_ns,duration_ns,stream,grid,block\n"), "kernel-csv");
  EXPECT_EQ(kernel_csv_format_of("timestamp, power.draw [W]\n"), "");
}

TEST(KernelCsv, AQuoteThatNothingClosesCostsItsRowOnly) {
  const run::Trace trace = good("name,start_ns,duration_ns\n\"a,1000,10\nb,2000,10\n");
  ASSERT_GE(trace.launches.size(), 1U);
  EXPECT_TRUE(trace.quality.contains("trace.stray-quote"));
}

TEST(KernelCsv, TheRecordingsHaveTheirCounts) {
  const char* const given = std::getenv("KERNWATT_SHARED_DIR");
  const std::filesystem::path shared = given != nullptr ? given : KERNWATT_SOURCE_DIR "/../shared";
  const auto file = shared / "data/h200/long_gpt3_1p3b.kernels.csv.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared recordings are not here; set KERNWATT_SHARED_DIR";
  auto source = ByteSource::open(file);
  ASSERT_TRUE(source) << source.error().text();
  const auto trace = read_kernel_csv(**source, file.string(), {});
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->launches.size(), 210'039U);
  EXPECT_TRUE(trace->time_is_absolute);
  EXPECT_TRUE(trace->quality.entries().empty());
}

}  // namespace
}  // namespace kernwatt::readers
