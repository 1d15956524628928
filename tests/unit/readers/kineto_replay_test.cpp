// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/readers/kineto_fixture.hpp"

// What shared/data/traces/replay/EXPECTED.json asks of a reader, case by case.
namespace kernwatt::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KinetoReplay : public ::testing::Test {
 protected:
  void read(std::string_view file) {
    const auto path = traces_dir() / "replay" / file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
    auto result = read_trace(path);
    ASSERT_TRUE(result) << result.error().text();
    trace_ = std::move(*result);
  }
  std::map<std::string, Busy> busy_by_name() {
    return busy_by(
        trace_, [this](const auto& launch) { return name_of(trace_, launch); }, true);
  }
  Busy all_kernels() {
    const auto all = busy_by(trace_, [](const auto&) { return std::string(); });
    return all.empty() ? Busy{} : all.begin()->second;
  }
  run::Trace trace_;
};

TEST_F(KinetoReplay, B14MissingQuoteIsNamedWithLineAndByte) {
  read("B14_missing_quote.json");
  if (IsSkipped()) return;
  EXPECT_EQ(count_of(trace_, "trace.broken-events"), 1U);
  EXPECT_THAT(message_of(trace_, "trace.broken-events"), HasSubstr("line 2, byte 139"));
  EXPECT_EQ(find_entry(trace_, "trace.no-kernels")->severity, Severity::error);
}

TEST_F(KinetoReplay, B15WindowsBackslashesDoNotHideTheKernel) {
  read("B15_windows_backslash.json");
  if (IsSkipped()) return;
  EXPECT_EQ(busy_by_name().at("gemm").sum_ns, 50'000);
  EXPECT_EQ(count_of(trace_, "trace.repaired-backslashes"), 1U);
}

TEST_F(KinetoReplay, B17ControlAndNonUtf8NamesStayDistinctAndValid) {
  read("B17_control_and_non_utf8.json");
  if (IsSkipped()) return;
  EXPECT_EQ(all_kernels().sum_ns, 75'000);
  const auto names = busy_by_name();
  EXPECT_TRUE(names.contains("torch/_inductor/config.py(0): \\x01\\x02"));
  EXPECT_TRUE(names.contains("sgemm_\\xff\\xfe_128"));
  EXPECT_EQ(count_of(trace_, "trace.repaired-control-characters"), 1U);
  EXPECT_EQ(count_of(trace_, "trace.repaired-encoding"), 1U);
}

TEST_F(KinetoReplay, B18LostTimestampsAreSetAside) {
  read("B18_ts0_dur0.json");
  if (IsSkipped()) return;
  EXPECT_EQ(count_of(trace_, "trace.lost-timestamps"), 2U);
  EXPECT_EQ(all_kernels().end_ns - all_kernels().start_ns, 30'000);
}

TEST_F(KinetoReplay, B19NegativeDurationIsReportedAndNotBusy) {
  read("B19_negative_dur.json");
  if (IsSkipped()) return;
  EXPECT_EQ(all_kernels().sum_ns, 150'000);
  EXPECT_EQ(count_of(trace_, "trace.negative-durations"), 1U);
}

TEST_F(KinetoReplay, B20KernelBeforeItsLaunchKeepsItsLayer) {
  read("B20_kernel_before_launch.json");
  if (IsSkipped()) return;
  ASSERT_EQ(trace_.launches.size(), 1U);
  EXPECT_THAT(ranges_of(trace_, trace_.launches[0]), ElementsAre("layer.3"));
  EXPECT_EQ(count_of(trace_, "trace.kernel-before-launch"), 1U);
}

TEST_F(KinetoReplay, B21DroppedKernelsAreCounted) {
  read("B21_dropped_kernels.json");
  if (IsSkipped()) return;
  EXPECT_EQ(all_kernels().count, 30U);
  EXPECT_EQ(count_of(trace_, "trace.launches-without-kernel"), 20U);
  EXPECT_THAT(message_of(trace_, "trace.launches-without-kernel"),
              HasSubstr("20 launches have no kernel record, so 40 % of the work is unattributed"));
}

TEST_F(KinetoReplay, B23NoKernelsIsAnError) {
  read("B23_no_kernels.json");
  if (IsSkipped()) return;
  EXPECT_TRUE(trace_.launches.empty());
  EXPECT_EQ(find_entry(trace_, "trace.no-kernels")->severity, Severity::error);
  EXPECT_THAT(message_of(trace_, "trace.no-kernels"), HasSubstr("1 cpu_op"));
}

TEST_F(KinetoReplay, B25GraphKernelsStayApartInsideTheirGraph) {
  read("B25_graph_replay.json");
  if (IsSkipped()) return;
  const auto names = busy_by_name();
  EXPECT_EQ(names.at("gemm").sum_ns, 180'000);
  EXPECT_EQ(names.at("gemm").count, 2U);
  EXPECT_EQ(names.at("attn").sum_ns, 90'000);
  for (const run::Launch& launch : trace_.launches) EXPECT_EQ(site_of(trace_, launch).graph, 77);
}

TEST_F(KinetoReplay, B27CopiesAreLaunchesOfTheirOwn) {
  read("B27_memcpy_gap.json");
  if (IsSkipped()) return;
  EXPECT_EQ(all_kernels().union_ns, 200'000);
  EXPECT_EQ(busy_by_name().at("Memcpy HtoD (Pinned -> Device)").sum_ns, 253'700);
  const auto all = busy_by(
                       trace_, [](const auto&) { return std::string(); }, true)
                       .at("");
  EXPECT_EQ(all.end_ns - all.start_ns - all.union_ns, 0);
}

TEST_F(KinetoReplay, B28OverlapIsUnionNotSum) {
  read("B28_two_streams.json");
  if (IsSkipped()) return;
  EXPECT_EQ(all_kernels().sum_ns, 250'000);
  EXPECT_EQ(all_kernels().union_ns, 200'000);
  EXPECT_EQ(all_kernels().end_ns - all_kernels().start_ns, 250'000);
  EXPECT_EQ(trace_.streams.size(), 2U);
}

TEST_F(KinetoReplay, B30TraceSaysOnlyItsOwnDeviceNumber) {
  read("B30_visible_devices_trace.json");
  if (IsSkipped()) return;
  ASSERT_EQ(trace_.gpus.size(), 1U);
  EXPECT_EQ(trace_.gpus[0].index, 0);
  EXPECT_TRUE(trace_.gpus[0].uuid.empty());
  EXPECT_TRUE(trace_.time_is_absolute);
  EXPECT_EQ(trace_.launches[0].start_ns, 1'767'614'401'000'000'000);
}

}  // namespace
}  // namespace kernwatt::readers
