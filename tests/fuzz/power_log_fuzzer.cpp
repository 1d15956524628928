// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/power_reader.hpp"
#include "kernwatt/readers/power/power_summary.hpp"

using namespace kernwatt;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check(const run::Series<T>& series) {
  require(series.time_ns.size() == series.value.size());
  for (std::size_t i = 1; i < series.size(); ++i) require(series.time_ns[i - 1] <= series.time_ns[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto source = readers::ByteSource::from_memory(std::string(data, data + size));
  if (!source) return 0;
  const auto log = readers::read_power(**source, "fuzz", {}, {});
  if (!log) {
    require(!log.error().message.empty());
    return 0;
  }
  require(!log->gpus.empty() || !log->totals.empty() || !log->supported_clocks.empty());
  for (const run::GpuPower& gpu : log->gpus) {
    check(gpu.energy_mj);
    check(gpu.power_draw_w);
    check(gpu.power_instant_w);
    check(gpu.sm_mhz);
    check(gpu.event_reasons);
    for (const double watts : gpu.power_draw_w.value) require(watts > 0 && watts <= 10'000);
    for (const std::int64_t mj : gpu.energy_mj.value) require(mj >= 0);
    require(gpu.missing_power <= gpu.rows);
  }
  QualityLedger quality;
  for (const run::PowerSummary& summary : readers::summarise(*log, quality)) {
    require(!summary.energy_j || (std::isfinite(*summary.energy_j) && *summary.energy_j >= 0));
    require(!summary.energy_counter_j || (std::isfinite(*summary.energy_counter_j) && *summary.energy_counter_j >= 0));
  }
  return 0;
}
