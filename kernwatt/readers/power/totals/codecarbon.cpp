// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/timestamp.hpp"
#include "kernwatt/readers/power/totals/totals_table.hpp"

namespace kernwatt::readers {

namespace {

constexpr double joules_per_kwh = 3.6e6;
constexpr double most_gpus = 100'000;

// "1 x Tesla P100-PCIE-16GB"
std::string_view model_of(std::string_view text) { return text.starts_with("1 x ") ? text.substr(4) : text; }

}  // namespace

// The mean power of the run times its duration should be its energy. Where it is not, one of them was estimated or is
// of the last moment only.
void CodeCarbonRuns::check_identity(const TotalsRow& row, std::string_view part) {
  const auto power = row.number(fmt::format("{}_power", part));
  const auto energy = row.number(fmt::format("{}_energy", part));
  const auto duration = row.number("duration");
  if (!power || !energy || !duration || *duration <= 0 || (*power <= 0 && *energy <= 0)) return;
  const double by_power_j = *power * *duration;
  const double energy_j = *energy * joules_per_kwh;
  if (std::abs(by_power_j - energy_j) <= 0.1 * std::max(by_power_j, energy_j)) return;
  ++disagreeing_;
  // The GPU's is what this is about.
  if (!disagreeing_example_.empty() && (gpu_example_ || part != "gpu")) return;
  gpu_example_ = part == "gpu";
  disagreeing_example_ = fmt::format("{}: {:.6g} W for {:.6g} s are {:.6g} J, its energy says {:.6g} J", part, *power,
                                     *duration, by_power_j, energy_j);
}

bool CodeCarbonRuns::row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) {
  const auto duration = row.number("duration");
  if (!duration || *duration < 0) return false;
  ++rows_;
  run::RecordedTotal total;
  total.name = visible_text(row.text("run_id").empty() ? row.text("project_name") : row.text("run_id"));
  total.duration_s = duration;
  const auto count = row.number("gpu_count");
  if (count && *count >= 1 && *count < most_gpus) total.gpu_count = static_cast<int>(*count);
  if (total.gpu_count == 1) total.gpu.name = visible_text(model_of(row.text("gpu_model")));
  // The row is written when the run ends.
  const auto end = parse_timestamp(row.text("timestamp"), TimeUnit::guess);
  if (end && end->kind == TimeKind::absolute && *duration < 3e9)
    total.start_ns = end->ns - std::llround(*duration * 1e9);
  const auto energy = row.number("gpu_energy");
  if (energy && *energy > 0) total.energy_j = *energy * joules_per_kwh;
  const auto power = row.number("gpu_power");
  if (power && *power > 0) total.power_w = power;
  if (!row.has("gpu_energy")) {
    ++machine_only_;
  } else if (!total.energy_j && total.gpu_count) {
    ++not_measured_;
  } else if (!total.energy_j) {
    ++without_gpu_;
  }
  for (const std::string_view part : {"gpu", "cpu", "ram"}) check_identity(row, part);
  totals.push_back(std::move(total));
  return true;
}

void CodeCarbonRuns::notes(QualityLedger& quality) const {
  if (not_measured_ > 0) {
    quality.add("power.gpu-energy-not-measured", Severity::error,
                fmt::format("GPU energy not measured: {} of {} run(s) name a GPU and say 0 kWh for it. No board that "
                            "runs draws nothing, so they have no energy here",
                            not_measured_, rows_),
                not_measured_);
  }
  if (without_gpu_ > 0) {
    quality.add("power.run-without-gpu", Severity::warning, "runs for which CodeCarbon found no GPU have no GPU energy",
                without_gpu_);
  }
  if (machine_only_ > 0) {
    quality.add("power.gpu-energy-not-measured", Severity::error,
                "the file has the energy of the whole machine only, from which the GPUs' does not follow",
                machine_only_);
  }
  if (disagreeing_ > 0) {
    quality.add("power.total-disagrees", Severity::warning,
                fmt::format("power times duration is not the energy; for example, {}. One of the two is an estimate (a "
                            "CPU's from its rated power), or the power is that of the last moment only",
                            disagreeing_example_),
                disagreeing_);
  }
}

}  // namespace kernwatt::readers
