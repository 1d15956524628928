// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/iteration_name.hpp"
#include "kernwatt/readers/nsys/nvtx_name.hpp"
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

using Names = std::vector<std::string>;

run::Trace must_read(const Recording& recording) {
  auto trace = recording.read();
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : run::Trace{};
}

/// Kernels at 100, 200, … with a launch 50 ns before each, on the threads that are given.
void launch_on(Recording& recording, const std::vector<std::int64_t>& threads) {
  std::int64_t number = 0;
  for (const std::int64_t thread : threads) {
    ++number;
    recording.launch(number * 100 - 50, number, thread);
    recording.kernel({.start = number * 100, .end = number * 100 + 20, .correlation = number});
  }
}

TEST(NsysRanges, NestAsTheyWerePushed) {
  Recording recording;
  recording.with_tables().range("train", 0, 1000).range("layer 1", 120, 180);
  launch_on(recording, {100, 100, 100});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"train"});
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), (Names{"train", "layer 1"}));
  EXPECT_EQ(ranges_of(trace, trace.launches[2]), Names{"train"});
  EXPECT_EQ(trace.host_ranges.size(), 2U);
}

TEST(NsysRanges, HoldForTheirOwnThread) {
  Recording recording;
  recording.with_tables().range("of 100", 0, 1000, 100).range("of 101", 0, 1000, 101);
  launch_on(recording, {100, 101, 102});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"of 100"});
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), Names{"of 101"});
  EXPECT_EQ(ranges_of(trace, trace.launches[2]), Names{});
}

TEST(NsysRanges, ThoseAcrossThreadsHoldForTheProcess) {
  Recording recording;
  recording.with_tables()
      .range("own", 0, 1000, 102)
      .sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES (120,280,60,1,'request',{},{},NULL,0)", global_id(100, 100),
                       global_id(100, 101)));
  launch_on(recording, {102, 102, 101, 102});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"own"});
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), (Names{"request", "own"}));
  EXPECT_EQ(ranges_of(trace, trace.launches[2]), Names{"request"});
  EXPECT_EQ(ranges_of(trace, trace.launches[3]), Names{"own"});
  EXPECT_EQ(count_of(trace, "trace.ranges-across-threads"), 1U);
}

TEST(NsysRanges, MayCross) {
  // Started and ended, or of two domains: A [0, 160], B [120, 1000].
  Recording recording;
  recording.with_tables().range("A", 0, 160).range("B", 120, 1000);
  launch_on(recording, {100, 100, 100});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"A"});
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), (Names{"A", "B"}));
  EXPECT_EQ(ranges_of(trace, trace.launches[2]), Names{"B"});
}

TEST(NsysRanges, AutogradsThreadsAreInsideTheRangesOfTheirMainThread) {
  Recording recording;
  recording.with_tables()
      .range("step", 0, 1000, 100)
      .range("backward", 40, 160, 100)
      .range("autograd::engine::evaluate_function: MmBackward0, op_id = 9", 45, 60, 101)
      .range("autograd::engine::evaluate_function: MmBackward0, op_id = 10", 240, 260, 101);
  launch_on(recording, {101, 101, 101});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), (Names{"step", "backward"}));
  EXPECT_TRUE(site_of(trace, trace.launches[0]).on_backward_thread);
  EXPECT_EQ(ranges_of(trace, trace.launches[1]), Names{});
  EXPECT_EQ(ranges_of(trace, trace.launches[2]), Names{"step"});
}

TEST(NsysRanges, RegisteredTextsMarksAndOpenRangesAreRead) {
  Recording recording;
  recording.with_tables().sql(
      fmt::format("INSERT INTO NVTX_EVENTS VALUES (0,1000,59,NULL,NULL,{0},NULL,7,0),"
                  "(10,NULL,59,NULL,'never closed',{0},NULL,NULL,0),(5,NULL,34,NULL,'a mark',{0},NULL,NULL,0),"
                  "(0,NULL,75,NULL,'a domain',{0},NULL,NULL,1),(20,30,59,NULL,NULL,{0},NULL,NULL,0)",
                  global_id(100, 100)));
  launch_on(recording, {100});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), (Names{"registered range", "never closed"}));
  EXPECT_EQ(count_of(trace, "trace.open-ranges"), 1U);
  EXPECT_EQ(count_of(trace, "trace.ranges-without-text"), 1U);
  for (const run::HostRange& range : trace.host_ranges) EXPECT_LT(range.end_ns, INT64_MAX);
}

TEST(NsysRanges, OperatorsOfEmitNvtxBecomeOperators) {
  Recording recording;
  recording.with_tables()
      .range("model.layers.0", 0, 1000)
      .range("aten::linear, seq = 12, op_id = 3, sizes = [[8, 16], [16, 4], []]", 10, 90)
      .range("aten::addmm, seq = 12, op_id = 4, sizes = [[4], [8, 16]], input_op_ids = [(3,0)]", 20, 80);
  launch_on(recording, {100, 100});
  const run::Trace trace = must_read(recording);
  const run::Site& site = site_of(trace, trace.launches[0]);
  EXPECT_EQ(text_of(trace, site.op), "aten::addmm");
  EXPECT_EQ(text_of(trace, site.outer_op), "aten::linear");
  EXPECT_EQ(text_of(trace, site.shapes), "[[4],[8,16]]");
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"model.layers.0"});
  EXPECT_EQ(trace.calls.at(trace.launches[0].call).sequence, 12);
  EXPECT_EQ(site_of(trace, trace.launches[1]).op, run::none);
}

TEST(NsysRanges, NamesOfEmitNvtxAreTakenApart) {
  using nsys::parse_nvtx_name;
  EXPECT_EQ(parse_nvtx_name("aten::mm, op_id = 314290").name, "aten::mm");
  EXPECT_TRUE(parse_nvtx_name("aten::mm").is_operator);
  EXPECT_TRUE(parse_nvtx_name("MmBackward0, seq = 4").is_operator);
  EXPECT_TRUE(parse_nvtx_name("c10d::allreduce_, op_id = 1").is_operator);
  const auto user = parse_nvtx_name("FSDP::pre_forward (encoder.block.0), op_id = 5");
  EXPECT_FALSE(user.is_operator);
  EXPECT_EQ(user.name, "FSDP::pre_forward (encoder.block.0)");
  EXPECT_FALSE(parse_nvtx_name("mylib::solve").is_operator);
  EXPECT_FALSE(parse_nvtx_name("loss = 0.5").is_operator);
  EXPECT_EQ(parse_nvtx_name("loss = 0.5").name, "loss = 0.5");
}

TEST(NsysRanges, ThatCountIterationsAreMarks) {
  Recording recording;
  recording.with_tables().range("iteration 5", 0, 110).range("iteration 6", 111, 300).range("forward", 20, 60);
  launch_on(recording, {100, 100});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.iteration_marks.size(), 2U);
  EXPECT_EQ(text_of(trace, trace.iteration_marks[0].name), "iteration 5");
  EXPECT_EQ(trace.launches[0].iteration, 0U);
  EXPECT_EQ(trace.launches[1].iteration, 1U);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"forward"});
}

TEST(NsysRanges, TheOuterCountMarksTheIterations) {
  Recording recording;
  recording.with_tables().range("iter 0", 0, 500).range("iter 1", 501, 900);
  for (int i = 0; i < 4; ++i) recording.range(fmt::format("step {}", i), 10 + 100 * i, 90 + 100 * i);
  launch_on(recording, {100, 100});
  const run::Trace trace = must_read(recording);
  EXPECT_EQ(trace.iteration_marks.size(), 2U);
  EXPECT_EQ(ranges_of(trace, trace.launches[0]), Names{"step 0"});
}

TEST(NsysRanges, PyTorchsOwnMarksGoFirstAndThoseOfOneThreadOnly) {
  Recording recording;
  recording.with_tables()
      .range("ProfilerStep#3", 0, 500, 100)
      .range("ProfilerStep#3", 0, 400, 200, 200)
      .range("step 1", 0, 450, 100);
  launch_on(recording, {100});
  const run::Trace trace = must_read(recording);
  ASSERT_EQ(trace.iteration_marks.size(), 1U);
  EXPECT_EQ(count_of(trace, "trace.iteration-marks"), 1U);
}

TEST(IterationName, KnowsWhatCountsIterations) {
  using assembly::iteration_family;
  EXPECT_EQ(iteration_family("iteration 5"), "iteration");
  EXPECT_EQ(iteration_family("Iteration_12"), "iteration");
  EXPECT_EQ(iteration_family("step#3"), "step");
  EXPECT_EQ(iteration_family("train_step 17"), "train step");
  EXPECT_EQ(iteration_family("iter: 4"), "iter");
  EXPECT_EQ(iteration_family("[step 3]"), "step");
  EXPECT_EQ(iteration_family("layer 3"), std::nullopt);
  EXPECT_EQ(iteration_family("copy step 3"), std::nullopt);
  EXPECT_EQ(iteration_family("optimizer.step"), std::nullopt);
  EXPECT_EQ(iteration_family("17"), std::nullopt);
  EXPECT_EQ(iteration_family(""), std::nullopt);
}

}  // namespace
}  // namespace kernwatt::readers
