// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/kernel_csv/kernel_csv.hpp"
#include "tests/unit/readers/trace_fixture.hpp"

namespace kernwatt::readers {
namespace {

run::Trace good(std::string text) {
  const auto source = ByteSource::from_memory(std::move(text));
  auto trace = read_kernel_csv(**source, "trace.csv", {});
  if (!trace) {
    ADD_FAILURE() << trace.error().text();
    return {};
  }
  return std::move(*trace);
}

// IRREGULAR.md B6: the header of 2024, the column GreenCtx, empty GrdX of copies, relative times
constexpr const char* table_2024 =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
    "724183811,23136,121,,,,,,,,,,0.262,11332.135,Pageable,Device,NVIDIA RTX A4500 (0),1,,7,[CUDA memcpy "
    "Host-to-Device]\n"
    "724310980,1024,130,,,,,,,,,,0.004,3906.250,Device,,NVIDIA RTX A4500 (0),1,,7,[CUDA memset]\n"
    "725000000,9216,140,16,2,1,128,1,1,24,0.001,0.000,,,,,NVIDIA RTX A4500 (0),1,,7,"
    "\"void gemm<4, float>(int, float)\"\n";

TEST(CudaGpuTraceCsv, IsReadAsNsysStatsWritesIt) {
  const run::Trace trace = good(table_2024);
  EXPECT_EQ(trace.format, "cuda-gpu-trace-csv");
  ASSERT_EQ(trace.launches.size(), 3U);
  EXPECT_EQ(kind_of(trace, trace.launches[0]), run::LaunchKind::memcpy);
  EXPECT_EQ(kind_of(trace, trace.launches[1]), run::LaunchKind::memset);
  EXPECT_EQ(trace.launches[2].start_ns, 725000000);
  EXPECT_EQ(trace.launches[2].duration_ns, 9216);
  const run::KernelClass& gemm = trace.classes[trace.launches[2].kernel_class];
  EXPECT_EQ(text_of(trace, gemm.name), "void gemm<4, float>(int, float)");
  EXPECT_EQ(gemm.grid, (run::Dim3{16, 2, 1}));
  EXPECT_EQ(gemm.block, (run::Dim3{128, 1, 1}));
  EXPECT_EQ(gemm.registers_per_thread, 24U);
  EXPECT_FALSE(trace.classes[trace.launches[0].kernel_class].grid);
  ASSERT_EQ(trace.gpus.size(), 1U);
  EXPECT_EQ(trace.gpus[0].index, 0);
  EXPECT_EQ(trace.gpus[0].name, "NVIDIA RTX A4500");
  EXPECT_EQ(text_of(trace, trace.streams[trace.launches[2].stream].name), "7");
}

TEST(CudaGpuTraceCsv, TimesAreNotAbsoluteAndThatIsSaid) {
  const run::Trace trace = good(table_2024);
  EXPECT_FALSE(trace.time_is_absolute);
  EXPECT_THAT(message_of(trace, "trace.relative-time"), ::testing::HasSubstr("--time-offset"));
}

TEST(CudaGpuTraceCsv, WhatIsPrintedAroundTheTableIsSkipped) {
  const run::Trace trace = good(std::string("Processing [run.sqlite] with [reports/cuda_gpu_trace.py]... \n\n"
                                            " ** CUDA GPU Trace (cuda_gpu_trace):\n\n") +
                                table_2024 + "\nProcessing [run.sqlite] with [reports/cuda_api_sum.py]... \n" +
                                "Time (%),Total Time (ns),Name\n50.0,123,cudaMalloc\n");
  EXPECT_EQ(trace.launches.size(), 3U);
  EXPECT_EQ(count_of(trace, "trace.preamble"), 2U);
  EXPECT_EQ(count_of(trace, "trace.other-tables"), 1U);
  EXPECT_EQ(find_entry(trace, "trace.bad-rows"), nullptr);
}

TEST(CudaGpuTraceCsv, UnitsAreThoseOfTheHeader) {
  for (const auto& [header, row] : {std::pair("Start(nsec),Duration(nsec),Name\n", "1500,250,k\n"),
                                    std::pair("Start (us),Duration (us),Name\n", "1.500,0.250,k\n"),
                                    std::pair("Start (ms),Duration (ms),Name\n", "0.0015,0.00025,k\n"),
                                    std::pair("Start (s),Duration (s),Name\n", "0.000001500,0.000000250,k\n")}) {
    const run::Trace trace = good(std::string(header) + row);
    ASSERT_EQ(trace.launches.size(), 1U) << header;
    EXPECT_EQ(trace.launches[0].start_ns, 1500) << header;
    EXPECT_EQ(trace.launches[0].duration_ns, 250) << header;
  }
}

TEST(CudaGpuTraceCsv, NvprofsTableHasItsUnitsInARow) {
  const run::Trace trace = good(
      "==1234== Profiling application: ./a.out\n==1234== Profiling result:\n"
      "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per "
      "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
      "ms,us,,,,,,,,KB,B,MB,GB/s,,,,\n"
      "214.325,2.5,64,1,1,256,1,1,10,0.0,0,,,\"Tesla V100-SXM2-16GB (1)\",\"1\",\"7\",\"add(int*)\"\n");
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.launches[0].start_ns, 214'325'000);
  EXPECT_EQ(trace.launches[0].duration_ns, 2500);
  EXPECT_EQ(trace.classes[0].grid, (run::Dim3{64, 1, 1}));
  EXPECT_EQ(trace.gpus[0].index, 1);
}

TEST(CudaGpuTraceCsv, ATableWithoutUnitsIsRefused) {
  const auto source = ByteSource::from_memory("Start,Duration,Name\n1,2,k\n");
  const auto trace = read_kernel_csv(**source, "trace.csv", {});
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, ::testing::HasSubstr("unit"));
}

// IRREGULAR.md B5: with :base several kernels have one name; their shapes still tell classes apart
TEST(CudaGpuTraceCsv, CutNamesStayApartByShape) {
  const run::Trace trace = good(
      "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Strm,Name\n"
      "100,10,1,1,1,32,1,1,GPU (0),7,reduce_kernel\n200,10,64,1,1,32,1,1,GPU (0),7,reduce_kernel\n");
  EXPECT_EQ(trace.classes.size(), 2U);
  EXPECT_EQ(trace.quality.worst(), Severity::info);
}

TEST(CudaGpuTraceCsv, IsToldByItsContent) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "kernwatt_cuda_gpu_trace.csv";
  std::ofstream(path) << "Processing [run.sqlite] with [cuda_gpu_trace.py]... \n\n" << table_2024;
  const auto trace = read_trace(path);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->format, "cuda-gpu-trace-csv");
  EXPECT_THAT(message_of(*trace, "trace.format"), ::testing::HasSubstr("cuda-gpu-trace-csv"));
  std::filesystem::remove(path);
}

// CASES.md 27: doubled rows
TEST(KernelCsv, ARowThatIsThereTwiceIsOneLaunch) {
  const run::Trace trace = good(
      "name,start_ns,duration_ns,device,stream\n"
      "k,1000,10,0,7\nk,1000,10,0,7\nk,1000,10,0,8\nk,1000,10,1,7\nk,1000,11,0,7\nother,1000,10,0,7\n"
      "k,2000,0,0,7\nk,2000,0,0,7\n");
  EXPECT_EQ(trace.launches.size(), 7U);
  EXPECT_EQ(count_of(trace, "trace.duplicates"), 1U);
}

}  // namespace
}  // namespace kernwatt::readers
