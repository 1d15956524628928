// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernwatt/attribution/account/gpu_map.hpp"
#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/work_track.hpp"

namespace kernwatt::attribution {
namespace {

using Traces = std::vector<run::Trace>;

std::string list_of(const std::vector<LoggedGpu>& logged) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(logged.size(), most); ++i) text += (i == 0 ? "" : ", ") + logged[i].name;
  return logged.size() > most ? text + fmt::format(" and {} more", logged.size() - most) : text;
}

std::vector<TracedGpu> gpus_with_launches(const Traces& traces) {
  std::vector<TracedGpu> gpus;
  for (std::uint32_t t = 0; t < traces.size(); ++t) {
    std::vector<bool> used(traces[t].gpus.size(), false);
    for (const run::Launch& launch : traces[t].launches) used[traces[t].streams[launch.stream].gpu] = true;
    for (std::uint32_t g = 0; g < used.size(); ++g)
      if (used[g]) gpus.push_back({t, g, run::none});
  }
  return gpus;
}

/// A UUID that both have, or the PCI bus address where only one GPU of the logs has it.
void join_by_identity(const Traces& traces, const std::vector<LoggedGpu>& logged, std::vector<TracedGpu>& gpus) {
  for (TracedGpu& gpu : gpus) {
    if (gpu.logged != run::none) continue;
    const run::GpuIdentity& traced = traces[gpu.trace].gpus[gpu.gpu];
    std::vector<std::uint32_t> by_address;
    for (std::uint32_t l = 0; l < logged.size(); ++l) {
      run::GpuIdentity id = logged[l].power.gpu;
      id.index.reset();  // counts something else than the trace's
      const Sameness sameness = compare(id, traced);
      if (sameness == Sameness::same && !id.uuid.empty() && !traced.uuid.empty()) gpu.logged = l;
      if (sameness == Sameness::same || sameness == Sameness::perhaps) by_address.push_back(l);
    }
    if (gpu.logged == run::none && by_address.size() == 1) gpu.logged = by_address[0];
  }
}

/// No GPU of the logs can be this one: each has another UUID.
bool is_elsewhere(const run::GpuIdentity& traced, const std::vector<LoggedGpu>& logged) {
  return std::all_of(logged.begin(), logged.end(), [&](const LoggedGpu& gpu) {
    return compare(gpu.power.gpu, traced) == Sameness::different && !gpu.power.gpu.uuid.empty() && !traced.uuid.empty();
  });
}

/// The GPU of the logs whose power follows the work of a GPU of the traces, when no other does nearly as well. Too weak
/// to decide, strong enough to propose.
std::optional<std::uint32_t> proposal(const Traces& traces, const std::vector<LoggedGpu>& logged,
                                      const TracedGpu& gpu) {
  constexpr double clear = 0.5;
  constexpr double alone = 0.25;
  constexpr double louder = 1.5;
  const WorkTrack work(traces[gpu.trace], gpu.gpu);
  std::vector<std::pair<double, std::uint32_t>> by_shape, by_level;
  for (std::uint32_t l = 0; l < logged.size(); ++l) {
    const auto* power = quickest_power(logged[l].power);
    if (power == nullptr) continue;
    by_shape.emplace_back(work.correlation(*power, 0), l);
    by_level.emplace_back(work.mean_power(*power, 0), l);
  }
  if (by_shape.size() < 2) return std::nullopt;
  std::sort(by_shape.rbegin(), by_shape.rend());
  std::sort(by_level.rbegin(), by_level.rend());
  if (by_shape[0].first > clear && by_shape[0].first > by_shape[1].first + alone) return by_shape[0].second;
  const bool steady = by_shape[0].first <= -1;
  if (steady && by_level[0].first > louder * by_level[1].first && by_level[1].first > 0) return by_level[0].second;
  return std::nullopt;
}

std::string words_of(const std::vector<LoggedGpu>& logged) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(logged.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + logged_word(logged, logged[i]);
  return logged.size() > most ? text + ", …" : text;
}

Error ask(const Traces& traces, const std::vector<LoggedGpu>& logged, const std::vector<TracedGpu>& gpus,
          const TracedGpu& gpu) {
  const run::GpuIdentity& traced = traces[gpu.trace].gpus[gpu.gpu];
  const auto proposed = proposal(traces, logged, gpu);
  const std::string pair =
      traced_word(traces, gpus, gpu) + "=" + (proposed ? logged_word(logged, logged[*proposed]) : "…");
  std::string message = fmt::format(
      "device {} of {} cannot be told among the logs' GPUs ({}): the trace names no UUID that the logs know, and the "
      "two "
      "count devices differently. Say which it is, as in --map {}",
      traced.index.value_or(static_cast<int>(gpu.gpu)), traces[gpu.trace].file, list_of(logged), pair);
  if (proposed)
    message += fmt::format(" (the power of {} follows this trace's work, that of the others does not)",
                           logged[*proposed].name);
  else
    message += fmt::format(", where … is one of {}", words_of(logged));
  return Error{ErrorCode::invalid_argument, message, "--map"};
}

/// First start and last end on one GPU.
std::pair<std::int64_t, std::int64_t> stretch_of(const run::Trace& trace, std::uint32_t gpu) {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (const run::Launch& launch : trace.launches) {
    if (trace.streams[launch.stream].gpu != gpu) continue;
    first = std::min(first, launch.start_ns);
    last = std::max(last, launch.end_ns());
  }
  return {first, last};
}

/// Traces of one GPU may follow each other; at one time they would count its energy twice.
Status check_claims(const Traces& traces, const std::vector<LoggedGpu>& logged, const std::vector<TracedGpu>& gpus) {
  for (std::size_t a = 0; a < gpus.size(); ++a)
    for (std::size_t b = a + 1; b < gpus.size(); ++b) {
      if (gpus[a].logged == run::none || gpus[a].logged != gpus[b].logged) continue;
      const auto [first_a, last_a] = stretch_of(traces[gpus[a].trace], gpus[a].gpu);
      const auto [first_b, last_b] = stretch_of(traces[gpus[b].trace], gpus[b].gpu);
      if (last_a <= first_b || last_b <= first_a) continue;
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{} is claimed by two traces of the same time ({} and {}); its energy would be counted "
                               "twice. Say which is which with --map {}=…,{}=…",
                               logged[gpus[a].logged].name, traces[gpus[a].trace].file, traces[gpus[b].trace].file,
                               traced_word(traces, gpus, gpus[a]), traced_word(traces, gpus, gpus[b])),
                   "--map"};
    }
  return {};
}

Status join_the_rest(const Traces& traces, const std::vector<LoggedGpu>& logged, std::vector<TracedGpu>& gpus,
                     QualityLedger& quality) {
  const bool one_of_each = gpus.size() == 1 && logged.size() == 1;
  for (TracedGpu& gpu : gpus) {
    if (gpu.logged != run::none) continue;
    const run::GpuIdentity& traced = traces[gpu.trace].gpus[gpu.gpu];
    const bool elsewhere = is_elsewhere(traced, logged);
    if (one_of_each && !elsewhere) {
      gpu.logged = 0;
      quality.add("join.only-one", Severity::info,
                  fmt::format("the trace has one GPU and so has the log ({}): taken for the same", logged[0].name));
    } else if (!elsewhere || one_of_each) {
      return ask(traces, logged, gpus, gpu);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TracedGpu>> join_gpus(const Traces& traces, const std::vector<LoggedGpu>& logged,
                                         const AttributeOptions& options, QualityLedger& quality) {
  std::vector<TracedGpu> gpus = gpus_with_launches(traces);
  if (logged.empty()) return gpus;
  KERNWATT_CHECK(apply_map(traces, logged, options.gpu_map, gpus));
  KERNWATT_CHECK(apply_selection(traces, logged, options.gpu_select, gpus));
  join_by_identity(traces, logged, gpus);
  KERNWATT_CHECK(join_the_rest(traces, logged, gpus, quality));
  KERNWATT_CHECK(check_claims(traces, logged, gpus));
  if (!gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [](const TracedGpu& g) { return g.logged == run::none; }))
    return ask(traces, logged, gpus, gpus[0]);
  for (std::uint32_t l = 0; l < logged.size(); ++l)
    if (std::none_of(gpus.begin(), gpus.end(), [&](const TracedGpu& g) { return g.logged == l; }))
      quality.add("join.unused-gpu", Severity::info,
                  fmt::format("{} is in the log but not in the traces: its energy is not counted", logged[l].name));
  return gpus;
}

}  // namespace kernwatt::attribution
