// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/power_over_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/sparkline.hpp"

namespace kernwatt::report {
namespace {

/// The sensor that shows most: the fastest that there is.
const run::Series<double>* best_sensor(const run::Run& run) {
  for (const run::PowerLog& log : run.power)
    for (const run::GpuPower& gpu : log.gpus)
      for (const auto* series : {&gpu.power_instant_w, &gpu.power_samples_w, &gpu.power_draw_w, &gpu.power_average_w})
        if (!series->empty()) return series;
  return nullptr;
}

struct Curve {
  std::vector<std::optional<double>> mean_w;  ///< of equal stretches
  double least_w = 0;
  double most_w = 0;
};

Curve curve_of(const run::Series<double>& series, std::int64_t start_ns, std::int64_t end_ns, std::size_t columns) {
  std::vector<double> sum(columns, 0);
  std::vector<double> count(columns, 0);
  Curve curve;
  bool first = true;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double watts = series.value[i];
    if (series.time_ns[i] < start_ns || series.time_ns[i] >= end_ns || !std::isfinite(watts)) continue;
    const double part = static_cast<double>(series.time_ns[i] - start_ns) / static_cast<double>(end_ns - start_ns);
    const std::size_t column = std::min(columns - 1, static_cast<std::size_t>(part * static_cast<double>(columns)));
    sum[column] += watts;
    count[column] += 1;
    curve.least_w = first ? watts : std::min(curve.least_w, watts);
    curve.most_w = first ? watts : std::max(curve.most_w, watts);
    first = false;
  }
  if (first) return curve;
  for (std::size_t i = 0; i < columns; ++i)
    curve.mean_w.push_back(count[i] > 0 ? std::optional(sum[i] / count[i]) : std::nullopt);
  return curve;
}

}  // namespace

std::string power_over_time(const run::Run& run, std::size_t columns) {
  const run::EnergyAccount& total = run.attribution.total;
  const run::Series<double>* series = best_sensor(run);
  if (series == nullptr || columns == 0 || !total.start_ns || !total.end_ns || *total.end_ns <= *total.start_ns)
    return "";
  const Curve curve = curve_of(*series, *total.start_ns, *total.end_ns, columns);
  if (curve.mean_w.empty()) return "";
  return fmt::format("{}  {} to {} W", sparkline(curve.mean_w, curve.most_w, columns, true),
                     three_digits(curve.least_w), three_digits(curve.most_w));
}

}  // namespace kernwatt::report
