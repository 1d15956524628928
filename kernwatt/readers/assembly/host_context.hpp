// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/assembly/records.hpp"

namespace kernwatt::readers::assembly {

/// Paths of nested ranges ("train / model / layer 3"), each kept once. Path 0 is empty.
class RangePaths {
 public:
  RangePaths() { nodes_.emplace_back(); }
  /// The path one range deeper; very deep nests end at a limit, and the innermost ranges are left out.
  std::uint32_t child(std::uint32_t parent, std::uint32_t name);
  /// Names from the outermost to the innermost.
  std::vector<std::uint32_t> names(std::uint32_t path) const;
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t name = 0;
    std::uint32_t depth = 0;
  };
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::uint64_t left_out_ = 0;
};

/// A moment on a host thread at which the GPU was given work.
struct HostMoment {
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  std::uint32_t operation = run::none;  ///< when it is already known which one asked
};

/// What enclosed a HostMoment. Operations are indices into Records::operations.
struct HostContext {
  std::uint32_t operation = run::none;  ///< the innermost one
  std::uint32_t outermost = run::none;
  std::int64_t sequence = -1;  ///< of the innermost enclosing operation that has one
  std::uint32_t path = 0;      ///< of the enclosing annotations and modules, iteration marks left out
  bool backward = false;       ///< inside autograd's evaluate_function
};

/// The context of each moment, in the same order. Outermost are the ranges that reach the whole process; work of
/// autograd's threads is also inside the annotations that are open on the process's main thread (the one with most
/// annotations), which waits for it. Linear but for sorting.
std::vector<HostContext> find_contexts(const Records& records, const std::vector<HostMoment>& moments,
                                       RangePaths& paths);

}  // namespace kernwatt::readers::assembly
