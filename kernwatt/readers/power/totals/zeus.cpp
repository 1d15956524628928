// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/totals/totals_table.hpp"

namespace kernwatt::readers {

namespace {

constexpr double first_epoch_s = 1e9;  // 2001; a monotonic clock would need a machine that never restarted since then

// "gpu3_energy" -> 3
std::optional<int> gpu_of(std::string_view name) {
  if (!name.starts_with("gpu") || !name.ends_with("_energy")) return std::nullopt;
  const auto number = parse_int64(name.substr(3, name.size() - 3 - 7));
  if (!number || *number < 0 || *number > 100'000) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<double> above_zero(std::optional<double> value) {
  return value && *value > 0 ? value : std::optional<double>();
}

}  // namespace

bool ZeusWindows::row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) {
  const auto duration = row.number("elapsed_time");
  if (!duration || *duration < 0) return false;
  run::RecordedTotal window;
  window.name = visible_text(row.text("window_name"));
  window.duration_s = duration;
  const auto start = row.number("start_time");
  if (start && *start > first_epoch_s && *start < 7.2e9) window.start_ns = std::llround(*start * 1e9);
  for (const std::string& name : row.names()) {
    const auto gpu = gpu_of(name);
    if (!gpu) continue;
    window.gpu = {};
    window.gpu.index = gpu;
    window.energy_j = above_zero(row.number(name));
    without_energy_ += window.energy_j ? 0U : 1U;
    totals.push_back(window);
  }
  return true;
}

void ZeusWindows::notes(QualityLedger& quality) const {
  if (without_energy_ == 0) return;
  quality.add("power.gpu-energy-not-measured", Severity::warning,
              "windows whose energy is 0 or missing: shorter than the counter's update, or not measured. They have no "
              "energy here",
              without_energy_);
}

bool ZeusSummary::row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) {
  run::RecordedTotal total;
  total.power_w = above_zero(row.number("average_power"));
  total.duration_s = above_zero(row.number("time_per_epoch"));
  if (!total.power_w && !total.duration_s) return false;
  total.name = visible_text(fmt::format("{} {} batch {} {} at {} W", row.text("dataset"), row.text("network"),
                                        row.text("batch_size"), row.text("optimizer"), row.text("power_limit")));
  totals.push_back(std::move(total));
  return true;
}

void ZeusSummary::notes(QualityLedger& quality) const {
  quality.add("power.mean-power-only", Severity::info,
              "each row is a mean power and the time of an epoch, taken at different times: no energy was recorded");
}

}  // namespace kernwatt::readers
