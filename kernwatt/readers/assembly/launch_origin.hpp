// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/assembly/host_context.hpp"
#include "kernwatt/readers/assembly/records.hpp"

namespace kernwatt::readers::assembly {

/// Where the work of one or more device events was asked for.
struct Origin {
  HostMoment moment;
  bool has_moment = false;            ///< false: no host event is known
  std::optional<std::int64_t> graph;  ///< a graph was launched; the number tells graphs apart
};

/// What joining device events with host events showed.
struct OriginCounts {
  std::uint64_t kernels = 0;
  std::uint64_t launch_calls = 0;  ///< host calls that launch kernels or graphs
  std::uint64_t launch_calls_without_kernel = 0;
  std::string first_without_kernel;        ///< the name of such a call
  std::uint64_t kernels_without_call = 0;  ///< kernels whose correlation no host call has
  std::uint64_t found_by_external_id = 0;  ///< of them, those whose operation the external id tells
  std::uint64_t before_call = 0;           ///< device events that start before their call does
  std::uint64_t graph_kernels = 0;
  std::uint64_t graph_launches = 0;
};

struct LaunchOrigins {
  std::vector<Origin> origins;
  std::vector<std::uint32_t> of_event;  ///< by device event: index into origins, or run::none
  OriginCounts counts;
};

/// Whether a host call records a graph, which is then run by other calls.
bool records_a_graph(std::string_view call);

/// Joins the device events, which must be sorted by time and free of duplicates, with the host's events: by
/// correlation, else by external id.
LaunchOrigins find_origins(const Records& records);

}  // namespace kernwatt::readers::assembly
