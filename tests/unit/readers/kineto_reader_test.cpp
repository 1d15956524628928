// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/unit/readers/kineto_fixture.hpp"

// The irregularities of real traces (A1 … A18 of shared/data/traces/IRREGULAR.md) and how launches find their origin.
namespace kernwatt::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

run::Trace read_good(std::string text) {
  auto trace = read_text(std::move(text));
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? std::move(*trace) : run::Trace{};
}

TEST(KinetoReader, A1AddsTheBaseTimeAlsoWhenItComesLast) {
  const auto trace = read_good("{\"traceEvents\": [" + kernel("k", "5168043965516.345", "19.872", 1) +
                               "], \"baseTimeNanoseconds\": 1790857026000000000}");
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.launches[0].start_ns, 1'790'857'026'000'000'000 + 5'168'043'965'516'345);
}

TEST(KinetoReader, A1EpochTimesNeedNoBase) {
  const auto trace = read_good(document(kernel("k", "1666149715428509", "45", 1)));
  EXPECT_TRUE(trace.time_is_absolute);
  EXPECT_EQ(trace.launches[0].start_ns, 1'666'149'715'428'509'000);
}

TEST(KinetoReader, A1ABaseIsNotAddedToEpochTimes) {
  const auto trace =
      read_good(document(kernel("k", "1666149715428509", "45", 1), "\"baseTimeNanoseconds\": 1666149000000000000"));
  EXPECT_EQ(trace.launches[0].start_ns, 1'666'149'715'428'509'000);
  EXPECT_NE(find_entry(trace, "trace.base-time-ignored"), nullptr);
}

TEST(KinetoReader, ATraceWithoutBaseIsRelativeAndSaysSo) {
  const auto trace = read_good(document(kernel("k", "1000", "45", 1)));
  EXPECT_FALSE(trace.time_is_absolute);
  EXPECT_NE(find_entry(trace, "trace.relative-time"), nullptr);
}

TEST(KinetoReader, A2KeepsNanosecondDigitsExactly) {
  const auto trace = read_good(document(kernel("k", "1712195495505582.988", "0.001", 1)));
  EXPECT_EQ(trace.launches[0].start_ns, 1'712'195'495'505'582'988);
  EXPECT_EQ(trace.launches[0].duration_ns, 1);
}

TEST(KinetoReader, TimesMayBeStrings) {
  const auto trace = read_good(document(kernel("k", "\"1712195495505582.988\"", "\"2.5\"", 1)));
  EXPECT_EQ(trace.launches[0].start_ns, 1'712'195'495'505'582'988);
  EXPECT_EQ(trace.launches[0].duration_ns, 2'500);
}

TEST(KinetoReader, A3ZeroWidthKernelsCountAndOldCategoriesAreKnown) {
  EventText old{"Kernel", "gemm", "1000", "0", "\"device\": 0, \"stream\": 7, \"correlation\": 1", "0", "\"stream 7\""};
  EventText copy{"Memcpy", "Memcpy HtoD", "1001", "1", "\"device\": 0, \"correlation\": 2", "0", "\"stream 7\""};
  const auto trace = read_good(document(old.text() + "," + copy.text()));
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(trace.launches[0].duration_ns, 0);
  EXPECT_EQ(kind_of(trace, trace.launches[1]), run::LaunchKind::memcpy);
  ASSERT_EQ(trace.streams.size(), 1U) << "\"stream 7\" is stream 7";
  EXPECT_EQ(text_of(trace, trace.streams[0].name), "7");
}

TEST(KinetoReader, AStreamKnowsTheRanksOfItsCollectives) {
  const auto on = [](const char* stream, const char* ranks) {
    return EventText{
        "kernel",
        "ncclDevKernel_AllReduce",
        "1000",
        "5",
        std::string("\"device\": 0, \"stream\": ") + stream + ", \"correlation\": 1, \"Process Group Ranks\": " + ranks,
        "0",
        stream};
  };
  const auto trace = read_good(document(on("20", "\"[0, 1]\"").text() + "," + on("21", "[2, 3]").text() + "," +
                                        on("22", "\"[0, 1]\"").text() + "," + on("22", "\"[0, 2]\"").text() + "," +
                                        kernel("k", "2000", "45", 1)));
  std::map<std::string, std::string> ranks;
  for (const run::Stream& stream : trace.streams)
    if (stream.process_group != run::none)
      ranks[std::string(trace.names.at(stream.name))] = trace.names.at(stream.process_group);
  EXPECT_THAT(ranks, ElementsAre(std::pair("20", "[0, 1]"), std::pair("21", "[2, 3]"))) << "22 has two groups";
}

TEST(KinetoReader, A4OverlapOnOneStreamIsKept) {
  const auto trace = read_good(document(kernel("a", "100", "50", 1) + "," + kernel("b", "140", "50", 2)));
  const auto busy = busy_by(trace, [](const auto&) { return std::string(); }).at("");
  EXPECT_EQ(busy.sum_ns, 100'000);
  EXPECT_EQ(busy.union_ns, 90'000);
}

TEST(KinetoReader, A5ReplaysOfOneGraphShareItsNumber) {
  std::string events = launch_call("10", 500, "9", "cudaGraphLaunch") + "," +
                       launch_call("50", 600, "9", "cudaGraphLaunch") + "," +
                       launch_call("90", 700, "9", "cudaGraphLaunch");
  for (const int correlation : {500, 600}) {
    events += "," + kernel("a", std::to_string(correlation * 10), "5", correlation);
    events += "," + kernel("b", std::to_string(correlation * 10 + 6), "5", correlation);
  }
  events += "," + kernel("c", "7000", "5", 700) + "," + kernel("a", "7010", "5", 700);
  const auto trace = read_good(document(events));
  ASSERT_EQ(trace.launches.size(), 6U);
  EXPECT_EQ(site_of(trace, trace.launches[0]).graph, 500);
  EXPECT_EQ(site_of(trace, trace.launches[3]).graph, 500) << "the second replay";
  EXPECT_EQ(site_of(trace, trace.launches[5]).graph, 700) << "another graph";
  EXPECT_EQ(trace.calls.size(), 3U);
  EXPECT_EQ(count_of(trace, "trace.graph-launches"), 6U);
}

TEST(KinetoReader, GraphNodesAreKnownByTheirIdsToo) {
  const auto trace =
      read_good(document(launch_call("10", 5, "9", "cuLaunchGraphThing") + "," +
                         kernel("a", "20", "5", 5, ", \"graph node id\": 4294967297, \"graph id\": 12")));
  EXPECT_EQ(site_of(trace, trace.launches[0]).graph, 12);
}

TEST(KinetoReader, GraphKernelsWithoutAnyLaunchRecordKeepTheirGraph) {
  EventText node{"kernel", "a", "20", "5", "\"device\": 0, \"stream\": 7, \"graphId\": 3, \"graphNodeId\": 9",
                 "0",      "7"};
  const auto trace = read_good(document(node.text()));
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(site_of(trace, trace.launches[0]).graph, 3);
}

TEST(KinetoReader, A6KernelsWithoutLaunchEventAreKeptAndFoundByExternalId) {
  EventText op{"cpu_op", "aten::mm", "50", "10", "\"External id\": 77"};
  const auto trace = read_good(document(op.text() + "," + kernel("a", "100", "5", 900, ", \"External id\": 77") + "," +
                                        launch_call("52", 901) + "," + kernel("b", "110", "5", 901)));
  ASSERT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(text_of(trace, site_of(trace, trace.launches[0]).op), "aten::mm");
  EXPECT_EQ(text_of(trace, site_of(trace, trace.launches[1]).op), "aten::mm");
  EXPECT_EQ(trace.launches[0].call, trace.launches[1].call) << "one execution of the operator";
  EXPECT_EQ(count_of(trace, "trace.kernels-without-launch"), 1U);
}

TEST(KinetoReader, A7TheDeviceIsNeitherTheRankNorAPosition) {
  EventText event{"kernel", "k", "1", "1", "\"device\": 9, \"stream\": 0, \"correlation\": 1", "9", "0"};
  const auto trace =
      read_good(document(event.text(),
                         "\"distributedInfo\": {\"rank\": 0, \"world_size\": 4}, \"deviceProperties\": "
                         "[{\"id\": 0, \"name\": \"wrong\"}, {\"id\": 9, \"name\": \"right\", \"numSms\": 304}]"));
  ASSERT_EQ(trace.gpus.size(), 1U);
  EXPECT_EQ(trace.gpus[0].index, 9);
  EXPECT_EQ(trace.gpus[0].name, "right");
  EXPECT_EQ(trace.gpus[0].sm_count, 304);
  EXPECT_EQ(trace.rank, 0);
  EXPECT_EQ(trace.world_size, 4);
  EXPECT_NE(find_entry(trace, "trace.device-is-not-rank"), nullptr);
}

TEST(KinetoReader, A8LargeIntegersAndAbsentIdsAreNoTrouble) {
  EventText event{"kernel", "nccl", "1", "1", "\"Comms Id\": 10159970886766084423, \"huge\": 99999999999999999999999",
                  "3",      "20"};
  const auto trace = read_good(document(event.text()));
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.gpus[0].index, 3);
  EXPECT_EQ(text_of(trace, trace.streams[0].name), "20");
  EXPECT_EQ(trace.launches[0].call, run::none);
  EXPECT_EQ(count_of(trace, "trace.without-device"), 1U);
}

TEST(KinetoReader, A9TracesWithoutKernelsSayWhatTheyHold) {
  EventText range{"cuda_profiler_range", "gemm", "1", "5"};
  const auto cupti = read_good(document(range.text()));
  EXPECT_THAT(cupti.launches, IsEmpty());
  EXPECT_THAT(message_of(cupti, "trace.no-kernels"), HasSubstr("range profiler"));
  EXPECT_EQ(find_entry(cupti, "trace.no-kernels")->severity, Severity::error);
  EventText mtia{"mtia_ccp_events", "fc", "1", "5"};
  EXPECT_THAT(message_of(read_good(document(mtia.text())), "trace.no-kernels"), HasSubstr("MTIA"));
  EXPECT_THAT(message_of(read_good(document("")), "trace.no-kernels"), HasSubstr("no complete events"));
}

TEST(KinetoReader, A10GraphCaptureIsNamed) {
  std::string events = launch_call("1", 1, "9", "hipStreamBeginCapture");
  for (int i = 2; i < 20; ++i) events += "," + launch_call(std::to_string(i * 10), i, "9", "hipLaunchKernel");
  const auto trace = read_good(document(events + "," + kernel("k", "500", "5", 2)));
  EXPECT_THAT(message_of(trace, "trace.graph-capture"), HasSubstr("being recorded, not run"));
}

TEST(KinetoReader, A11KernelsOutOfOrderAreSorted) {
  const auto trace = read_good(document(kernel("b", "200", "5", 2) + "," + kernel("a", "100", "5", 1)));
  EXPECT_EQ(name_of(trace, trace.launches[0]), "a");
  EXPECT_EQ(count_of(trace, "trace.out-of-order"), 1U);
}

TEST(KinetoReader, A12NamesOfAnyLengthAndLetterAreKept) {
  const std::string name = "void at::native::vectorized<4, f(int)#1}, 'x'>[;,](" + std::string(5000, 'T') + ")";
  const auto trace = read_good(document(kernel(name, "1", "5", 1)));
  EXPECT_EQ(name_of(trace, trace.launches[0]), name);
}

TEST(KinetoReader, EscapesAndOtherAlphabetsAreDecoded) {
  const auto trace = read_good(document(kernel("say \\\"hi\\\" \\u00e9\\t\xc3\xa9", "1", "5", 1)));
  EXPECT_EQ(name_of(trace, trace.launches[0]), "say \"hi\" \xc3\xa9\\x09\xc3\xa9");
  EXPECT_EQ(find_entry(trace, "trace.repaired-encoding"), nullptr);
}

TEST(KinetoReader, A15A16OverlaysAndAnnotationsAreNeverBusyTime) {
  EventText note{"gpu_user_annotation", "nccl:all_reduce", "100", "50", "\"External id\": 1", "0", "7"};
  const std::string overlay =
      R"({"ph": "s", "id": 0, "pid": 0, "tid": 7, "ts": 100, "cat": "critical_path", "name": "critical_path"})";
  const auto trace = read_good(document(note.text() + "," + overlay + "," + kernel("k", "100", "5", 1)));
  EXPECT_EQ(trace.launches.size(), 1U);
}

TEST(KinetoReader, ClassesAreNamesWithGridAndBlock) {
  const std::string small =
      R"(, "grid": [8, 1, 1], "block": [256,1,1], "registers per thread": 32, "shared memory": 0)";
  const std::string large = R"(, "grid": [16, 2, 1], "block": [256,1,1])";
  const auto trace = read_good(document(kernel("k", "1", "1", 1, small) + "," + kernel("k", "3", "1", 2, large) + "," +
                                        kernel("k", "5", "1", 3, small)));
  ASSERT_EQ(trace.classes.size(), 2U);
  EXPECT_EQ(trace.classes[0].grid, (run::Dim3{8, 1, 1}));
  EXPECT_EQ(trace.classes[0].block, (run::Dim3{256, 1, 1}));
  EXPECT_EQ(trace.classes[0].registers_per_thread, 32U);
  EXPECT_EQ(trace.classes[0].shared_memory_bytes, 0U);
  EXPECT_FALSE(trace.classes[1].registers_per_thread);
  EXPECT_EQ(trace.launches[2].kernel_class, 0U);
}

TEST(KinetoReader, ALaunchFindsItsOperatorsShapesRangesAndIteration) {
  const std::string events =
      EventText{"user_annotation", "ProfilerStep#3", "0", "1000"}.text() + "," +
      EventText{"user_annotation", "forward", "10", "500"}.text() + "," +
      EventText{"python_function", "nn.Module: Linear_0", "20", "300"}.text() + "," +
      EventText{"python_function", "torch/nn/linear.py(10): forward", "21", "290"}.text() + "," +
      EventText{"cpu_op", "aten::linear", "30", "200"}.text() + "," +
      EventText{
          "cpu_op", "aten::addmm", "40", "100",
          R"("Sequence number": 12, "Input Dims": [[8192, 2048], [2048, 6144], []], "Input type": ["float", "c10::BFloat16", ""])"}
          .text() +
      "," + launch_call("50", 1) + "," + kernel("gemm", "5000", "10", 1);
  const auto trace = read_good(document(events));
  const run::Site& site = site_of(trace, trace.launches.at(0));
  EXPECT_EQ(text_of(trace, site.op), "aten::addmm");
  EXPECT_EQ(text_of(trace, site.outer_op), "aten::linear");
  EXPECT_EQ(text_of(trace, site.shapes), "[[8192,2048],[2048,6144],[]]");
  EXPECT_EQ(text_of(trace, site.types), R"(["float","c10::BFloat16",""])");
  EXPECT_THAT(ranges_of(trace, trace.launches[0]), ElementsAre("forward", "nn.Module: Linear_0"));
  EXPECT_FALSE(site.on_backward_thread);
  EXPECT_EQ(trace.calls[trace.launches[0].call].sequence, 12);
  ASSERT_EQ(trace.iteration_marks.size(), 1U);
  EXPECT_EQ(trace.launches[0].iteration, 0U) << "asked for in step 3, though it ran after it";
  ASSERT_EQ(trace.host_ranges.size(), 1U);
  EXPECT_EQ(text_of(trace, trace.host_ranges[0].name), "forward");
}

TEST(KinetoReader, TheBackwardThreadWorksInsideTheMainThreadsRanges) {
  EventText evaluate{"cpu_op", "autograd::engine::evaluate_function: MmBackward0", "100", "50",
                     "\"Sequence number\": 12"};
  evaluate.thread = "10";
  EventText mm{"cpu_op", "aten::mm", "110", "20"};
  mm.thread = "10";
  const auto trace =
      read_good(document(EventText{"user_annotation", "backward", "90", "100"}.text() + "," + evaluate.text() + "," +
                         mm.text() + "," + launch_call("115", 1, "10") + "," + launch_call("160", 2, "10") + "," +
                         kernel("gemm", "200", "5", 1) + "," + kernel("other", "210", "5", 2)));
  EXPECT_TRUE(site_of(trace, trace.launches[0]).on_backward_thread);
  EXPECT_EQ(text_of(trace, site_of(trace, trace.launches[0]).op), "aten::mm");
  EXPECT_EQ(trace.calls[trace.launches[0].call].sequence, 12) << "of the enclosing evaluate_function";
  EXPECT_THAT(ranges_of(trace, trace.launches[0]), ElementsAre("backward"));
  EXPECT_FALSE(site_of(trace, trace.launches[1]).on_backward_thread) << "after evaluate_function has returned";
  EXPECT_THAT(ranges_of(trace, trace.launches[1]), IsEmpty());
}

TEST(KinetoReader, CallsAreNumberedAsTheHostMadeThem) {
  const auto trace =
      read_good(document(EventText{"cpu_op", "second", "50", "10"}.text() + "," +
                         EventText{"cpu_op", "first", "10", "10"}.text() + "," + launch_call("55", 2) + "," +
                         launch_call("15", 1) + "," + kernel("b", "90", "5", 2) + "," + kernel("a", "95", "5", 1)));
  ASSERT_EQ(trace.calls.size(), 2U);
  EXPECT_EQ(text_of(trace, trace.sites[trace.calls[0].site].op), "first");
  EXPECT_EQ(trace.launches[0].call, 1U);
}

TEST(KinetoReader, ExactCopiesAreRemovedButTwoRealLaunchesStayTwo) {
  const std::string one = kernel("k", "100", "5", 1);
  const auto trace =
      read_good(document(one + "," + one + "," + kernel("k", "100", "5", 2) + "," + kernel("k", "110", "5", 3)));
  EXPECT_EQ(trace.launches.size(), 3U);
  EXPECT_EQ(count_of(trace, "trace.duplicates"), 1U);
}

TEST(KinetoReader, TheProfilersOwnLossesAndWindowAreShown) {
  const std::string window =
      R"json({"ph": "X", "cat": "Trace", "ts": 100, "dur": 100, "pid": "Spans", "tid": "PyTorch Profiler",
    "name": "PyTorch Profiler (0)", "args": {"Op count": 0}})json";
  const auto trace = read_good(document(window + "," + kernel("early", "50", "5", 1) + "," + kernel("k", "150", "5", 2),
                                        R"("metadata": {"dropped_records": 5000, "lost": "7"})"));
  const auto& entries = trace.quality.entries();
  EXPECT_THAT(message_of(trace, "trace.profiler-dropped"), HasSubstr("5000"));
  EXPECT_EQ(
      std::count_if(entries.begin(), entries.end(), [](const auto& e) { return e.id == "trace.profiler-dropped"; }), 2);
  EXPECT_EQ(count_of(trace, "trace.outside-window"), 1U);
}

TEST(KinetoReader, ANestedDriverCallIsOneLaunch) {
  EventText outer{"cuda_runtime", "cudaLaunchKernel", "10", "8", "\"correlation\": 1"};
  EventText inner{"cuda_driver", "cuLaunchKernel", "12", "4", "\"correlation\": 2"};
  const auto trace = read_good(document(outer.text() + "," + inner.text() + "," + kernel("k", "30", "5", 2)));
  EXPECT_EQ(find_entry(trace, "trace.launches-without-kernel"), nullptr);
}

TEST(KinetoReader, NotANumberIsNoValue) {
  const auto trace = read_good(
      document(kernel("a", "1", "5", 1, ", \"occupancy\": NaN, \"b\": -Infinity") + "," + kernel("b", "NaN", "5", 2)));
  EXPECT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(count_of(trace, "trace.repaired-not-a-number"), 2U);
  EXPECT_EQ(count_of(trace, "trace.unreadable-times"), 1U);
}

TEST(KinetoReader, KeysMayComeInAnyOrder) {
  const auto trace = read_good(document(
      R"({"args": {"correlation": 1, "stream": 7, "device": 0}, "dur": 5, "ts": 1.5, "tid": 7, "name": "k", "cat": "kernel", "ph": "X"})"));
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.launches[0].start_ns, 1'500);
}

TEST(KinetoReader, BareArraysAreTracesEvenWithoutTheirBracket) {
  const auto trace = read_good("[\n" + kernel("a", "1", "5", 1) + ",\n" + kernel("b", "9", "5", 2) + "\n");
  EXPECT_EQ(trace.launches.size(), 2U);
  EXPECT_EQ(find_entry(trace, "trace.torn"), nullptr) << "the format allows to leave the bracket out";
}

}  // namespace
}  // namespace kernwatt::readers
