// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/small_recording.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>

#include "tests/integration/program.hpp"

namespace kernwatt {
namespace {

constexpr std::int64_t start_ns = 1'772'366'400'000'000'000;

/// Kernel a for 40 ms, kernel b for 40 ms, 20 ms of nothing, and again.
std::string trace_text() {
  std::string text = "name,category,start_ns,duration_ns,stream,grid,block\n";
  for (std::int64_t t = 0; t < 2000; ++t) {
    const std::int64_t phase = t % 100;
    if (phase >= 80) continue;
    const char* name = phase < 40 ? "\"void gemm<float, 4>(float*, int)\"" : "copy_kernel";
    fmt::format_to(std::back_inserter(text), "{},kernel,{},990000,7,{}x1x1,128x1x1\n", name, start_ns + t * 1'000'000,
                   phase < 40 ? 64 : 128);
  }
  return text;
}

std::string power_text() {
  std::string text = "time_ns,energy_mj,power_avg_mw,power_instant_mw,sm_mhz\n";
  for (std::int64_t t = -1000; t < 3000; t += 10) {
    const std::int64_t counter = (t + 1000) / 100 * 40'000;
    fmt::format_to(std::back_inserter(text), "{},{},400000,400000,1980\n", start_ns + t * 1'000'000, counter);
  }
  return text;
}

}  // namespace

SmallRecording::SmallRecording() {
  write_file(trace(), trace_text());
  write_file(power(), power_text());
}

std::string SmallRecording::run() const {
  const Ended ended = run_kernwatt({"attribute", trace(), "--power", power(), "-o", file("run.kw")});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  return file("run.kw");
}

}  // namespace kernwatt
