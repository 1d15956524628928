// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/log_extent.hpp"

#include <algorithm>

namespace kernwatt::attribution {
namespace {

void extend(std::optional<Extent>& extent, const Extent& by) {
  if (!extent) extent = by;
  extent->first_ns = std::min(extent->first_ns, by.first_ns);
  extent->last_ns = std::max(extent->last_ns, by.last_ns);
}

template <class T>
void extend(std::optional<Extent>& extent, const run::Series<T>& series) {
  if (!series.empty()) extend(extent, Extent{series.time_ns.front(), series.time_ns.back()});
}

}  // namespace

std::optional<Extent> extent_of(const run::GpuPower& power) {
  std::optional<Extent> extent;
  extend(extent, power.energy_mj);
  for (const auto* s : {&power.power_instant_w, &power.power_average_w, &power.power_draw_w, &power.power_samples_w})
    extend(extent, *s);
  return extent;
}

std::optional<Extent> extent_of(const run::PowerLog& log) {
  std::optional<Extent> extent;
  for (const run::GpuPower& gpu : log.gpus)
    if (const auto of_gpu = extent_of(gpu)) extend(extent, *of_gpu);
  return extent;
}

bool is_relative(const Extent& extent) { return extent.last_ns < 100'000'000'000'000'000; }

double covered(const WorkTrack& work, const Extent& log, std::int64_t shift_ns) {
  const std::int64_t from = std::max(work.first_ns(), log.first_ns + shift_ns);
  const std::int64_t to = std::min(work.last_ns(), log.last_ns + shift_ns);
  const auto span = static_cast<double>(std::max<std::int64_t>(1, work.last_ns() - work.first_ns()));
  return std::max(0.0, static_cast<double>(to - from) / span);
}

void shift_times(run::GpuPower& power, std::int64_t ns) {
  if (ns == 0) return;
  const auto move = [ns](auto& series) {
    for (std::int64_t& t : series.time_ns) t += ns;
  };
  move(power.energy_mj);
  move(power.power_instant_w);
  move(power.power_average_w);
  move(power.power_draw_w);
  move(power.power_samples_w);
  move(power.sm_mhz);
  move(power.mem_mhz);
  move(power.temperature_c);
  move(power.event_reasons);
}

void shift_times(run::PowerLog& log, std::int64_t ns) {
  for (run::GpuPower& gpu : log.gpus) shift_times(gpu, ns);
}

}  // namespace kernwatt::attribution
