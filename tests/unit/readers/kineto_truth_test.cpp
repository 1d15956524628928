// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/readers/kineto_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

std::vector<std::string> truth_files() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(traces_dir() / "truth", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("kineto__")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.emplace_back("none");
  return names;
}

class KinetoTruth : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "none") GTEST_SKIP() << "no truth files under " << traces_dir();
    std::ifstream in(traces_dir() / "truth" / GetParam());
    truth_ = json::parse(in);
    const auto path = traces_dir() / truth_["file"].get<std::string>();
    auto read = read_trace(path);
    ASSERT_TRUE(read) << read.error().text();
    trace_ = std::move(*read);
  }

  std::string device_of(const run::Launch& launch) const {
    const auto index = trace_.gpus[trace_.streams[launch.stream].gpu].index;
    return index ? std::to_string(*index) : "";
  }
  std::string stream_of(const run::Launch& launch) const {
    return device_of(launch) + "/" + std::string(trace_.names.at(trace_.streams[launch.stream].name));
  }
  /// The truth's times are without the document's base.
  std::int64_t base() const { return truth_.value("baseTimeNanoseconds", std::int64_t{0}); }

  json truth_;
  run::Trace trace_;
};

TEST_P(KinetoTruth, CountsNamesAndBusyTimeAreExact) {
  std::map<run::LaunchKind, std::uint64_t> counts;
  std::map<run::LaunchKind, std::int64_t> sums;
  std::set<std::string> names;
  for (const run::Launch& launch : trace_.launches) {
    ++counts[kind_of(trace_, launch)];
    sums[kind_of(trace_, launch)] += launch.duration_ns;
    if (kind_of(trace_, launch) == run::LaunchKind::kernel) names.insert(name_of(trace_, launch));
  }
  EXPECT_EQ(counts[run::LaunchKind::kernel], truth_["n_kernel"]);
  EXPECT_EQ(counts[run::LaunchKind::memcpy], truth_["n_memcpy"]);
  EXPECT_EQ(counts[run::LaunchKind::memset], truth_["n_memset"]);
  EXPECT_EQ(names.size(), truth_["distinct_kernel_names"]);
  EXPECT_EQ(sums[run::LaunchKind::kernel], truth_["kernel_busy_sum_ns"]);
  EXPECT_EQ(sums[run::LaunchKind::memcpy], truth_["memcpy_sum_ns"]);
  EXPECT_EQ(sums[run::LaunchKind::memset], truth_["memset_sum_ns"]);
}

TEST_P(KinetoTruth, StreamsAndDevicesAreBusyAsLongAsTheyWere) {
  const auto streams = busy_by(trace_, [this](const auto& launch) { return stream_of(launch); });
  ASSERT_EQ(streams.size(), truth_["per_stream"].size());
  for (const auto& [name, truth] : truth_["per_stream"].items()) {
    ASSERT_TRUE(streams.contains(name)) << name;
    EXPECT_EQ(streams.at(name).count, truth["n"]) << name;
    EXPECT_EQ(streams.at(name).sum_ns, truth["sum_ns"]) << name;
    EXPECT_EQ(streams.at(name).union_ns, truth["union_ns"]) << name;
  }
  const auto devices = busy_by(trace_, [this](const auto& launch) { return device_of(launch); });
  const auto with_copies = busy_by(
      trace_, [this](const auto& launch) { return device_of(launch); }, true);
  ASSERT_EQ(devices.size(), truth_["per_device"].size());
  for (const auto& [name, truth] : truth_["per_device"].items()) {
    const Busy& busy = devices.at(name);
    EXPECT_EQ(busy.count, truth["n"]);
    EXPECT_EQ(busy.union_ns, truth["union_ns"]);
    EXPECT_EQ(busy.end_ns - busy.start_ns, truth["span_ns"]);
    EXPECT_EQ(busy.start_ns, truth["first_ns"].get<std::int64_t>() + base());
    EXPECT_EQ(busy.end_ns, truth["last_end_ns"].get<std::int64_t>() + base());
    EXPECT_EQ(with_copies.at(name).union_ns, truth["union_with_mem_ns"]);
  }
}

TEST_P(KinetoTruth, ProfilerStepsAreIterationMarks) {
  std::set<std::string> names;
  for (const run::HostRange& mark : trace_.iteration_marks) names.insert(text_of(trace_, mark.name));
  const auto distinct = truth_["profiler_steps_distinct"].get<std::set<std::string>>();
  EXPECT_EQ(names, distinct);
  EXPECT_LE(trace_.iteration_marks.size(), truth_["profiler_steps_cpu"]);
}

TEST_P(KinetoTruth, TheHeadersFactsAreKept) {
  if (truth_.contains("distributedInfo") && truth_["distributedInfo"].contains("rank")) {
    EXPECT_EQ(trace_.rank, truth_["distributedInfo"]["rank"].get<int>());
  } else {
    EXPECT_EQ(trace_.rank.has_value(), find_entry(trace_, "trace.rank-from-name") != nullptr);  // a guess, and said
  }
  const std::uint64_t kernels = truth_["n_kernel"];
  EXPECT_EQ(find_entry(trace_, "trace.no-kernels") != nullptr, kernels == 0);
  EXPECT_EQ(find_entry(trace_, "trace.broken-events"), nullptr);
  EXPECT_EQ(find_entry(trace_, "trace.duplicates"), nullptr);
  EXPECT_NE(find_entry(trace_, "trace.format"), nullptr);
}

TEST_P(KinetoTruth, IrregularitiesAreCounted) {
  const json& irregular = truth_["irregular"];
  std::uint64_t zero = 0;
  for (const run::Launch& launch : trace_.launches) {
    zero += launch.duration_ns == 0 && kind_of(trace_, launch) == run::LaunchKind::kernel ? 1 : 0;
  }
  EXPECT_EQ(zero, irregular.value("zero_dur_kernels", std::uint64_t{0}));
  EXPECT_EQ(count_of(trace_, "trace.kernels-without-launch"),
            irregular.value("kernels_no_matching_launch", std::uint64_t{0}));
}

// IRREGULAR.md A18: collectives whose names have no "nccl" are kernels like any other here; the names tell them
TEST_P(KinetoTruth, EachNameAndTheCollectivesRanAsLongAsTheyDid) {
  std::map<std::string, std::pair<std::int64_t, std::uint64_t>> by_name;
  std::pair<std::int64_t, std::uint64_t> nccl;
  for (const run::Launch& launch : trace_.launches) {
    if (kind_of(trace_, launch) != run::LaunchKind::kernel) continue;
    const std::string name = name_of(trace_, launch);
    by_name[name].first += launch.duration_ns;
    ++by_name[name].second;
    std::string small(name);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    if (small.find("nccl") == std::string::npos) continue;
    nccl.first += launch.duration_ns;
    ++nccl.second;
  }
  for (const json& top : truth_["top10_kernels"]) {
    const auto& [sum, count] = by_name[top["name"]];
    EXPECT_EQ(sum, top["total_ns"]) << top["name"];
    EXPECT_EQ(count, top["count"]) << top["name"];
  }
  EXPECT_EQ(nccl.first, truth_["nccl"]["sum_ns"]);
  EXPECT_EQ(nccl.second, truth_["nccl"]["n"]);
  std::int64_t others = 0;
  for (const json& beginning : truth_["other_collective_like"]["names"]) {  // of which the truth has 100 letters
    for (const auto& [name, times] : by_name) {
      others += name.starts_with(beginning.get<std::string>()) ? times.first : 0;
    }
  }
  EXPECT_EQ(others, truth_["other_collective_like"]["sum_ns"]);
}

// IRREGULAR.md A4
TEST_P(KinetoTruth, OverlapOnOneStreamIsKept) {
  std::map<std::uint32_t, std::int64_t> end;
  std::int64_t overlap = 0;
  for (const run::Launch& launch : trace_.launches) {
    if (kind_of(trace_, launch) != run::LaunchKind::kernel) continue;
    const auto [last, is_new] = end.try_emplace(launch.stream, launch.end_ns());
    if (!is_new) overlap += std::max<std::int64_t>(0, std::min(last->second, launch.end_ns()) - launch.start_ns);
    last->second = std::max(last->second, launch.end_ns());
  }
  EXPECT_EQ(overlap, truth_["irregular"].value("overlap_same_stream_ns", std::int64_t{0}));
}

INSTANTIATE_TEST_SUITE_P(Shared, KinetoTruth, ::testing::ValuesIn(truth_files()), [](const auto& test) {
  std::string name = std::filesystem::path(test.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char byte) { return std::isalnum(byte) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace kernwatt::readers
