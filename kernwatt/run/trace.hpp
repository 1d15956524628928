// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/gpu.hpp"
#include "kernwatt/run/names.hpp"

/// The facts of one profiler trace, the same for every profiler that we read.
///
///   Launch -> KernelClass      what ran                (name, grid, block)
///          -> Stream           where it ran            (gpu, stream)
///          -> OperatorCall -> Site   who asked for it  (operator, shapes, enclosing ranges)
///
/// Many launches share a class, a stream and a site; they refer to them by index, so that ten million launches
/// fit in memory. An index that is `none` means: the trace does not say.
namespace kernwatt::run {

enum class LaunchKind : std::uint8_t { kernel, memcpy, memset };

using Dim3 = std::array<std::uint32_t, 3>;

/// Launches expected to cost the same: one name, one grid, one block.
struct KernelClass {
  NameId name = none;
  LaunchKind kind = LaunchKind::kernel;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<std::uint32_t> registers_per_thread;
  std::optional<std::uint32_t> shared_memory_bytes;
};

struct Stream {
  std::uint32_t gpu = 0;  ///< index into Trace::gpus
  NameId name = none;     ///< "7", "stream 7": as the trace has it
  /// "[0, 1]": the ranks of the collectives on it, as the profiler names them; none when it does not, or when
  /// collectives of several groups share the stream.
  NameId process_group = none;
};

/// A place in the program that asks for work on the GPU: one framework operator with its operand shapes inside its
/// enclosing ranges.
struct Site {
  NameId op = none;                   ///< the innermost operator, "aten::addmm"; none when launched outside any
  NameId outer_op = none;             ///< the outermost operator, "aten::linear"; = op when there is one only
  NameId shapes = none;               ///< operand shapes as compact JSON, "[[8192,2048],[2048,6144]]"
  NameId types = none;                ///< operand types as compact JSON, "[\"c10::BFloat16\",…]"
  std::vector<NameId> ranges;         ///< enclosing ranges of the user (annotations, modules), outermost first,
                                      ///< iteration marks left out
  bool on_backward_thread = false;    ///< under autograd's evaluate_function
  std::optional<std::int64_t> graph;  ///< launched by replaying this CUDA graph: what is inside is not known
};

/// One execution of a site. Calls are numbered in the order in which the host made them.
struct OperatorCall {
  std::uint32_t site = none;
  /// autograd's sequence number, the same for a forward operator and its backward; -1 when the trace has none
  std::int64_t sequence = -1;
};

/// One execution on the device.
struct Launch {
  std::int64_t start_ns = 0;     ///< Trace::time_is_absolute ? CLOCK_REALTIME : since the trace's own zero
  std::int64_t duration_ns = 0;  ///< >= 0
  std::uint32_t kernel_class = none;
  std::uint32_t stream = none;
  std::uint32_t call = none;
  /// Index into Trace::iteration_marks: the iteration in which the host asked for it, however late it ran.
  std::uint32_t iteration = none;

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// A named stretch of host time: a user's annotation. start <= end.
struct HostRange {
  NameId name = none;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct Trace {
  std::string file;
  std::string format;  ///< one of readers::trace_formats()
  std::optional<int> rank;
  std::optional<int> world_size;
  bool time_is_absolute = false;
  NameTable names;
  std::vector<GpuIdentity> gpus;
  std::vector<Stream> streams;
  std::vector<KernelClass> classes;
  std::vector<Site> sites;
  std::vector<OperatorCall> calls;
  std::vector<Launch> launches;            ///< sorted by start, then by end; both kernels and copies
  std::vector<HostRange> iteration_marks;  ///< ProfilerStep#N and the like, sorted by start
  std::vector<HostRange> host_ranges;      ///< other user annotations, sorted by start
  QualityLedger quality;
};

}  // namespace kernwatt::run
