// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/run/trace.hpp"

/// One GPU's launches as time shares in short bins: the x_ik of docs/method.md.
///
/// Who owns which time:
///   launches that overlap      share it by occupied SM fraction, or equally where that is unknown
///   gap <= 5 us after a launch belongs to that launch: it is the cost of launching
///   gap 5 - 200 us             a column of its own: clocks and caches stay up, near neither work nor idle
///   longer                     execution-idle
///   a tiny launch              (memsets of 1 us beside a GEMM) is measured with the launch that follows it
namespace kernwatt::attribution {

/// Which parameters the fit has. Classes too short-lived to be told apart share the column of their category.
struct Columns {
  std::vector<std::uint32_t> of_class;    ///< column of each kernel class; run::none for classes without time
  std::vector<Category> category;         ///< of each column
  std::vector<std::uint32_t> sole_class;  ///< the class, where a column has one only; run::none for pools
  std::vector<bool> class_is_tiny;
  std::uint32_t size() const { return static_cast<std::uint32_t>(category.size()); }
};

/// Seconds of one column inside one bin.
struct BinShare {
  std::uint32_t bin;
  std::uint32_t column;  ///< < Columns::size(); == Columns::size() for launch gaps
  float seconds;
};

struct Timeline {
  std::int64_t origin_ns = 0;  ///< start of bin 0
  double bin_s = 1e-3;
  std::uint32_t bins = 0;
  std::vector<BinShare> shares;         ///< ascending bins; idle is what is left of a bin
  std::vector<std::uint32_t> launches;  ///< this GPU's launches, as indices into Trace::launches
  std::vector<float> launch_s;          ///< time that a launch owns, beside `launches`
  std::vector<std::uint32_t> launch_column;
  std::int64_t first_ns = 0;  ///< first start
  std::int64_t last_ns = 0;   ///< last end
  double overlapped_s = 0;    ///< time in which launches shared the GPU
  double gap_s = 0;
  double idle_s = 0;  ///< between first start and last end
  std::uint64_t tiny_launches = 0;
};

/// At most `max_columns` classes with the most time get a column of their own.
Columns choose_columns(const run::Trace& trace, std::uint32_t gpu, const ProgramStructure& structure,
                       std::uint32_t max_columns);

/// Bins cover [first start - pad, last end + pad]. Linear in launches. Pure.
Timeline build_timeline(const run::Trace& trace, std::uint32_t gpu, const Columns& columns, double pad_s);

}  // namespace kernwatt::attribution
