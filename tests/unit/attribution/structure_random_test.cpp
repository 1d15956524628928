// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernwatt/attribution/communication.hpp"
#include "kernwatt/attribution/structure.hpp"

/// Traces without sense, but with valid indices, must be analysed without fault: held to by the sanitizers too.
namespace kernwatt::attribution {
namespace {

constexpr std::array kernels{"nvjet_a",
                             "flash_fwd_kernel",
                             "layer_norm",
                             "vectorized_gather_kernel",
                             "nll_loss_forward",
                             "gelu_backward",
                             "ncclAllReduceKernel",
                             "argmax_kernel",
                             "multi_tensor_apply_kernel<FusedAdam>",
                             "paged_attention",
                             "",
                             "<<((",
                             "add"};
constexpr std::array ranges{"forward",
                            "backward",
                            "model.layers.0",
                            "model.layers.1",
                            "nn.Module: Block_3",
                            "nn.Module: Block_4",
                            "execute_context_1(5)_generation_2(2)",
                            "",
                            "optimizer"};
constexpr std::array operators{"aten::mm", "aten::_flash_attention_forward", "aten::linear", "aten::add", ""};
constexpr std::array shapes{"[[4,8],[8,2]]", "[]", "[[1,2,3,4],[1,2,3,4],[1,2,3,4]]", "{", "[[4,8],[2,8],[2]]"};

class RandomTrace {
 public:
  explicit RandomTrace(std::uint32_t seed) : random_(seed) {}

  run::Trace make() {
    run::Trace trace;
    trace.gpus.resize(below(3));
    for (std::uint32_t s = 0; s < 3; ++s) trace.streams.push_back({below(3), run::none});
    add_classes(trace);
    add_calls(trace);
    for (std::uint32_t m = below(4); m > 0; --m) {
      trace.iteration_marks.push_back({trace.names.intern("ProfilerStep#" + std::to_string(m)), 0, 0});
    }
    std::int64_t now = 0;
    const std::uint32_t pattern = 1 + below(30);
    for (std::uint32_t i = 0, n = below(600); i < n; ++i) {
      run::Launch launch;
      launch.start_ns = now += below(50);
      launch.duration_ns = below(60);
      launch.kernel_class = maybe_repeat(i % pattern, size_of(trace.classes));
      launch.stream = maybe_none(3);
      launch.call = trace.calls.empty() ? run::none : maybe_none(size_of(trace.calls));
      if (!trace.iteration_marks.empty()) launch.iteration = maybe_none(size_of(trace.iteration_marks));
      trace.launches.push_back(launch);
    }
    return trace;
  }

 private:
  template <class T>
  static std::uint32_t size_of(const std::vector<T>& v) {
    return static_cast<std::uint32_t>(v.size());
  }
  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t maybe_none(std::uint32_t n) { return below(4) == 0 ? run::none : below(n); }
  std::uint32_t maybe_repeat(std::uint32_t place, std::uint32_t n) { return below(10) == 0 ? below(n) : place % n; }

  void add_classes(run::Trace& trace) {
    for (std::uint32_t c = 1 + below(20); c > 0; --c) {
      run::KernelClass kernel_class;
      if (below(8) != 0) kernel_class.name = trace.names.intern(kernels[below(kernels.size())]);
      if (below(6) == 0) kernel_class.kind = below(2) == 0 ? run::LaunchKind::memcpy : run::LaunchKind::memset;
      if (below(2) == 0) kernel_class.grid = run::Dim3{below(5000), 1, 1};
      trace.classes.push_back(kernel_class);
    }
  }
  void add_calls(run::Trace& trace) {
    for (std::uint32_t s = below(12); s > 0; --s) {
      run::Site site;
      if (below(3) != 0) site.op = trace.names.intern(operators[below(operators.size())]);
      if (below(3) != 0) site.shapes = trace.names.intern(shapes[below(shapes.size())]);
      for (std::uint32_t r = below(3); r > 0; --r)
        site.ranges.push_back(trace.names.intern(ranges[below(ranges.size())]));
      site.on_backward_thread = below(4) == 0;
      if (below(6) == 0) site.graph = below(3);
      trace.sites.push_back(std::move(site));
    }
    if (trace.sites.empty()) return;
    for (std::uint32_t c = below(200); c > 0; --c) {
      trace.calls.push_back({maybe_none(size_of(trace.sites)), static_cast<std::int64_t>(below(100)) - 1});
    }
  }

  std::mt19937 random_;
};

void expect_consistent(const run::Trace& trace, const ProgramStructure& structure) {
  ASSERT_EQ(structure.launch_phase.size(), trace.launches.size());
  ASSERT_EQ(structure.launch_layer.size(), trace.launches.size());
  ASSERT_EQ(structure.launch_operator.size(), trace.launches.size());
  ASSERT_EQ(structure.launch_iteration.size(), trace.launches.size());
  ASSERT_EQ(structure.class_category.size(), trace.classes.size());
  ASSERT_EQ(structure.class_flops.size(), trace.classes.size());
  ASSERT_EQ(structure.layer_flops.size(), structure.layer_names.size());
  ASSERT_EQ(structure.operator_flops.size(), structure.operator_names.size());
  const auto is_index = [](std::uint32_t i, std::size_t size) { return i == run::none || i < size; };
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    ASSERT_TRUE(is_index(structure.launch_layer[i], structure.layer_names.size()));
    ASSERT_TRUE(is_index(structure.launch_operator[i], structure.operator_names.size()));
    ASSERT_TRUE(is_index(structure.launch_iteration[i], structure.iterations.size()));
  }
  for (std::size_t k = 0; k < structure.iterations.size(); ++k) {
    ASSERT_LE(structure.iterations[k].start_ns, structure.iterations[k].end_ns);
    if (k == 0) continue;
    ASSERT_LE(structure.iterations[k - 1].end_ns, structure.iterations[k].start_ns);
  }
}

TEST(RandomTraces, AreAnalysedWithoutFaultAndConsistently) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const run::Trace trace = RandomTrace(seed).make();
    QualityLedger quality;
    const ProgramStructure structure = analyse_structure(trace, quality);
    expect_consistent(trace, structure);
    if (HasFatalFailure()) return;
    const CommunicationOverlap overlap = communication_overlap(trace, structure.class_category);
    EXPECT_LE(overlap.overlapped_ns, overlap.comm_ns);
  }
}

}  // namespace
}  // namespace kernwatt::attribution
