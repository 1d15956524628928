// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/readers/trace_fixture.hpp"

namespace kernwatt::readers {
namespace {

using nlohmann::json;

std::vector<std::string> truth_files() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(traces_dir() / "truth", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nsys__")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.emplace_back("none");
  return names;
}

class NsysTruth : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "none") GTEST_SKIP() << "no truth files under " << traces_dir();
    std::ifstream in(traces_dir() / "truth" / GetParam());
    truth_ = json::parse(in);
    auto read = read_trace(traces_dir() / truth_["file"].get<std::string>());
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
  /// The truth's times are those of the file.
  std::int64_t base() const {
    if (!truth_.contains("TARGET_INFO_SESSION_START_TIME")) return 0;
    return truth_["TARGET_INFO_SESSION_START_TIME"][0]["utcEpochNs"];
  }

  json truth_;
  run::Trace trace_;
};

TEST_P(NsysTruth, CountsNamesAndBusyTimeAreExact) {
  std::map<run::LaunchKind, std::uint64_t> counts;
  std::map<run::LaunchKind, std::int64_t> sums;
  std::map<std::string, std::pair<std::int64_t, std::uint64_t>> by_name;
  std::uint64_t in_graphs = 0;
  for (const run::Launch& launch : trace_.launches) {
    ++counts[kind_of(trace_, launch)];
    sums[kind_of(trace_, launch)] += launch.duration_ns;
    if (kind_of(trace_, launch) != run::LaunchKind::kernel) continue;
    auto& [sum, count] = by_name[name_of(trace_, launch)];
    sum += launch.duration_ns;
    ++count;
    in_graphs += launch.call != run::none && site_of(trace_, launch).graph ? 1 : 0;
  }
  EXPECT_EQ(counts[run::LaunchKind::kernel], truth_.value("n_kernel", 0));
  EXPECT_EQ(counts[run::LaunchKind::memcpy], truth_["n_memcpy"]);
  EXPECT_EQ(counts[run::LaunchKind::memset], truth_["n_memset"]);
  EXPECT_EQ(by_name.size(), truth_.value("distinct_kernel_names", 0));
  EXPECT_EQ(sums[run::LaunchKind::kernel], truth_.value("kernel_busy_sum_ns", std::int64_t{0}));
  EXPECT_EQ(sums[run::LaunchKind::memcpy], truth_["memcpy_sum_ns"]);
  EXPECT_EQ(sums[run::LaunchKind::memset], truth_["memset_sum_ns"]);
  EXPECT_EQ(in_graphs, truth_["n_graph_kernels"]);
  for (const json& top : truth_.value("top10_kernels", json::array())) {
    const auto& [sum, count] = by_name[top["name"]];
    EXPECT_EQ(sum, top["total_ns"]);
    EXPECT_EQ(count, top["count"]);
  }
}

TEST_P(NsysTruth, StreamsAndDevicesAreBusyAsLongAsTheyWere) {
  const auto streams = busy_by(trace_, [this](const auto& launch) { return stream_of(launch); });
  const json per_stream = truth_.value("per_stream", json::object());
  ASSERT_EQ(streams.size(), per_stream.size());
  for (const auto& [name, truth] : per_stream.items()) {
    ASSERT_TRUE(streams.contains(name)) << name;
    EXPECT_EQ(streams.at(name).count, truth["n"]) << name;
    EXPECT_EQ(streams.at(name).sum_ns, truth["sum_ns"]) << name;
    EXPECT_EQ(streams.at(name).union_ns, truth["union_ns"]) << name;
  }
  const auto device = [this](const auto& launch) { return device_of(launch); };
  const auto devices = busy_by(trace_, device);
  const auto with_copies = busy_by(trace_, device, true);
  const json per_device = truth_.value("per_device", json::object());
  ASSERT_EQ(devices.size(), per_device.size());
  for (const auto& [name, truth] : per_device.items()) {
    const Busy& busy = devices.at(name);
    EXPECT_EQ(busy.count, truth["n"]);
    EXPECT_EQ(busy.sum_ns, truth["sum_ns"]);
    EXPECT_EQ(busy.union_ns, truth["union_ns"]);
    EXPECT_EQ(busy.start_ns, truth["first_ns"].get<std::int64_t>() + base());
    EXPECT_EQ(busy.end_ns, truth["last_end_ns"].get<std::int64_t>() + base());
    EXPECT_EQ(with_copies.at(name).union_ns, truth["union_with_mem_ns"]);
  }
}

TEST_P(NsysTruth, TheFilesFactsAreKept) {
  EXPECT_EQ(trace_.format, "nsys-sqlite");
  EXPECT_EQ(trace_.time_is_absolute, base() > 0);
  EXPECT_EQ(find_entry(trace_, "trace.no-kernels") != nullptr, truth_.value("n_kernel", 0) == 0);
  EXPECT_EQ(find_entry(trace_, "trace.duplicates"), nullptr);
  EXPECT_EQ(find_entry(trace_, "trace.damaged"), nullptr);
  const json gpus = truth_.value("gpus", json::array());
  for (const run::GpuIdentity& gpu : trace_.gpus) {
    const auto known = std::find_if(gpus.begin(), gpus.end(), [&](const json& g) { return g["id"] == gpu.index; });
    EXPECT_EQ(known != gpus.end(), !gpu.name.empty());
    if (known == gpus.end()) continue;
    EXPECT_EQ(gpu.name, (*known)["name"]);
    if (known->contains("uuid")) {
      EXPECT_EQ(gpu.uuid, "GPU-" + (*known)["uuid"].get<std::string>());
    }
    if (known->contains("busLocation")) {
      EXPECT_EQ(gpu.pci_bus_id, "0000" + (*known)["busLocation"].get<std::string>());
    }
    if (known->contains("smCount")) {
      EXPECT_EQ(gpu.sm_count, (*known)["smCount"]);
    }
  }
}

TEST_P(NsysTruth, IrregularitiesAreCounted) {
  const json irregular = truth_.value("irregular", json::object());
  for (const auto& [name, count] : irregular.items()) ADD_FAILURE() << name << " " << count << " is not compared";
}

INSTANTIATE_TEST_SUITE_P(Shared, NsysTruth, ::testing::ValuesIn(truth_files()), [](const auto& test) {
  std::string name = std::filesystem::path(test.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char byte) { return std::isalnum(byte) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace kernwatt::readers
