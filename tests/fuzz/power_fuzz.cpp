// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "power_fuzz.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/power_reader.hpp"
#include "kernwatt/readers/power/power_summary.hpp"

namespace kernwatt::readers {

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check(const run::Series<T>& series) {
  require(series.time_ns.size() == series.value.size());
  for (std::size_t i = 1; i < series.size(); ++i) require(series.time_ns[i - 1] <= series.time_ns[i]);
}

void check(const run::GpuPower& gpu) {
  check(gpu.energy_mj);
  check(gpu.power_draw_w);
  check(gpu.power_instant_w);
  check(gpu.power_average_w);
  check(gpu.sm_mhz);
  check(gpu.event_reasons);
  for (const double watts : gpu.power_draw_w.value) require(watts > 0 && watts <= 10'000);
  for (const std::int64_t mj : gpu.energy_mj.value) require(mj >= 0);
  require(gpu.missing_power <= gpu.rows);
}

bool is_sane(const std::optional<double>& value) { return !value || (std::isfinite(*value) && *value >= 0); }

}  // namespace

void fuzz_power(const std::uint8_t* data, std::size_t size, std::string_view format) {
  auto source = ByteSource::from_memory(std::string(data, data + size));
  if (!source) return;
  const auto log = read_power(**source, "fuzz", format, {});
  if (!log) {
    require(!log.error().message.empty());
    return;
  }
  require(format.empty() || log->format == format);
  require(!log->gpus.empty() || !log->totals.empty() || !log->supported_clocks.empty());
  for (const run::GpuPower& gpu : log->gpus) check(gpu);
  for (const run::RecordedTotal& total : log->totals) require(is_sane(total.energy_j) && is_sane(total.power_w));
  QualityLedger quality;
  for (const run::PowerSummary& summary : summarise(*log, quality)) {
    require(is_sane(summary.energy_j) && is_sane(summary.energy_counter_j));
  }
}

}  // namespace kernwatt::readers
