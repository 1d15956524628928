// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/attribution/model_flops.hpp"
#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/trace.hpp"

/// Up the tree: what each launch is for. Pure functions of a trace; no energy here.
namespace kernwatt::attribution {

/// What kind of work a kernel class is.
enum class Category : std::uint8_t {
  matrix_product,
  attention,
  normalisation,
  element_wise,
  reduction,
  copy,
  optimizer,
  communication,
  other
};
/// "matrix product", "attention", "normalisation", "element-wise", …
std::string_view to_string(Category category);

/// Which part of an iteration a launch belongs to. Communication is a phase of its own, whichever pass asks for it.
enum class Phase : std::uint8_t {
  forward,
  backward,
  optimizer,
  prefill,
  decode,
  communication,
  data_loading,
  copy,
  compute
};
/// "forward", …, "data loading", …; `compute` is work whose phase the trace does not tell.
std::string_view to_string(Phase phase);

/// [start, end) on the device.
struct IterationSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string name;  ///< "ProfilerStep#3", or "iteration 3"
};

enum class IterationsFoundBy : std::uint8_t { none, marks, period };

/// The floating-point operations of one operator call, told from its shapes and given to its main kernel.
struct LaunchFlops {
  std::uint32_t launch = 0;
  double flops = 0;
};

/// Everything below indexed by launch has the length of Trace::launches; by class, of Trace::classes.
struct ProgramStructure {
  std::vector<Category> class_category;
  std::vector<std::string> collective_of_class;  ///< "all-reduce", …; empty for other work
  std::vector<Phase> launch_phase;
  std::vector<std::uint32_t> launch_layer;      ///< index into layer_names, or run::none
  std::vector<std::string> layer_names;         ///< "layer 0" … or the module path "model.layers.0"; in program order
  std::vector<std::uint32_t> launch_operator;   ///< index into operator_names, or run::none
  std::vector<std::string> operator_names;      ///< "aten::addmm"; "inside graph 77"
  std::vector<std::uint32_t> launch_iteration;  ///< index into iterations, or run::none (before, after, between)
  std::vector<IterationSpan> iterations;
  IterationsFoundBy iterations_found_by = IterationsFoundBy::none;
  std::vector<std::optional<double>> class_flops;     ///< summed over all launches of the class; empty when unknown
  std::vector<std::optional<double>> layer_flops;     ///< by layer, summed likewise
  std::vector<std::optional<double>> operator_flops;  ///< by operator, summed likewise
  std::vector<LaunchFlops> launch_flops;              ///< sorted by launch: to sum over any other view
  /// Matrix products and attention whose FLOPs are not known, sorted. A sum over a view that holds one is not known.
  std::vector<std::uint32_t> launches_without_flops;
  /// Estimate for all matrix products of one training iteration, where the trace has no shapes.
  std::optional<ModelFlops> model_flops;
  std::vector<run::HostRange> data_loading;  ///< stretches in which the host loaded data, sorted
};

/// Finds iterations, layers, phases, categories and FLOPs. Whatever had to be guessed (layers by order, phases by
/// kernel names, iterations by period) is an info entry in `quality`. Linear in the launches, any thread.
ProgramStructure analyse_structure(const run::Trace& trace, QualityLedger& quality);

}  // namespace kernwatt::attribution
