// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernwatt/run/trace.hpp"

namespace kernwatt::attribution::test {

/// Where a launch comes from; the default is: the trace does not say.
struct Origin {
  std::string op = {};
  std::string shapes = {};
  std::vector<std::string> ranges = {};
  std::int64_t sequence = -1;
  bool backward_thread = false;
  std::optional<std::int64_t> graph = {};
  std::uint32_t iteration = run::none;
};

/// Builds traces launch by launch; each starts where the one before on any stream ended, unless told otherwise.
class TraceBuilder {
 public:
  TraceBuilder() { trace_.gpus.emplace_back(); }

  TraceBuilder& launch(std::string_view name, std::int64_t duration_ns = 1000) {
    return add(name, run::LaunchKind::kernel, duration_ns, run::none, run::none);
  }
  TraceBuilder& launch(std::string_view name, const Origin& origin, std::int64_t duration_ns = 1000) {
    return add(name, run::LaunchKind::kernel, duration_ns, call_of(origin), origin.iteration);
  }
  /// Another kernel of the call before.
  TraceBuilder& same_call(std::string_view name, std::int64_t duration_ns = 1000) {
    const run::Launch last = trace_.launches.back();
    return add(name, run::LaunchKind::kernel, duration_ns, last.call, last.iteration);
  }
  TraceBuilder& copy(std::string_view name, std::int64_t duration_ns = 1000) {
    return add(name, run::LaunchKind::memcpy, duration_ns, run::none, run::none);
  }
  TraceBuilder& memset(std::int64_t duration_ns = 1000) {
    return add("Memset (Device)", run::LaunchKind::memset, duration_ns, run::none, run::none);
  }
  TraceBuilder& at(std::int64_t start_ns, std::string_view stream = "7") {
    now_ns_ = start_ns;
    stream_ = std::string(stream);
    return *this;
  }
  TraceBuilder& idle(std::int64_t ns) {
    now_ns_ += ns;
    return *this;
  }
  TraceBuilder& grid(std::uint32_t x) {
    grid_ = run::Dim3{x, 1, 1};
    return *this;
  }
  TraceBuilder& mark_iteration(std::string_view name) {
    trace_.iteration_marks.push_back({trace_.names.intern(name), 0, 0});
    return *this;
  }
  TraceBuilder& host_range(std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    trace_.host_ranges.push_back({trace_.names.intern(name), start_ns, end_ns});
    return *this;
  }
  std::size_t size() const { return trace_.launches.size(); }
  run::Trace build() { return std::move(trace_); }

 private:
  TraceBuilder& add(std::string_view name, run::LaunchKind kind, std::int64_t duration_ns, std::uint32_t call,
                    std::uint32_t iteration) {
    const auto [place, is_new] =
        classes_.try_emplace({std::string(name), grid_}, static_cast<std::uint32_t>(trace_.classes.size()));
    if (is_new) {
      run::KernelClass kernel_class;
      kernel_class.name = trace_.names.intern(name);
      kernel_class.kind = kind;
      kernel_class.grid = grid_;
      trace_.classes.push_back(kernel_class);
    }
    const auto [stream, new_stream] = streams_.try_emplace(stream_, static_cast<std::uint32_t>(trace_.streams.size()));
    if (new_stream) trace_.streams.push_back({0, trace_.names.intern(stream_)});
    trace_.launches.push_back({now_ns_, duration_ns, place->second, stream->second, call, iteration});
    now_ns_ += duration_ns;
    grid_.reset();
    return *this;
  }

  std::uint32_t call_of(const Origin& origin) {
    run::Site site;
    if (!origin.op.empty()) site.op = site.outer_op = trace_.names.intern(origin.op);
    if (!origin.shapes.empty()) site.shapes = trace_.names.intern(origin.shapes);
    for (const std::string& range : origin.ranges) site.ranges.push_back(trace_.names.intern(range));
    site.on_backward_thread = origin.backward_thread;
    site.graph = origin.graph;
    trace_.sites.push_back(std::move(site));
    trace_.calls.push_back({static_cast<std::uint32_t>(trace_.sites.size() - 1), origin.sequence});
    return static_cast<std::uint32_t>(trace_.calls.size() - 1);
  }

  run::Trace trace_;
  std::map<std::pair<std::string, std::optional<run::Dim3>>, std::uint32_t> classes_;
  std::map<std::string, std::uint32_t> streams_;
  std::optional<run::Dim3> grid_;
  std::string stream_ = "7";
  std::int64_t now_ns_ = 1'000'000;
};

}  // namespace kernwatt::attribution::test
