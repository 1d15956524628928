// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/stamp_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernwatt/readers/power/power_math.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// The readings of a series by stamp.
struct Stamps {
  std::vector<std::int64_t> ns;
  std::vector<std::size_t> begin;  // of each stamp's readings; one more at the end
  std::size_t size() const { return ns.size(); }
  std::size_t count(std::size_t k) const { return begin[k + 1] - begin[k]; }
};

Stamps stamps_of(const std::vector<std::int64_t>& times) {
  Stamps stamps;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0 && times[i] == times[i - 1]) continue;
    stamps.ns.push_back(times[i]);
    stamps.begin.push_back(i);
  }
  stamps.begin.push_back(times.size());
  return stamps;
}

bool whole_seconds(const std::vector<std::int64_t>& times) {
  return std::all_of(times.begin(), times.end(), [](std::int64_t ns) { return ns % second_ns == 0; });
}

/// How the inner stamps are: the step to the next one, and the readings of each.
struct Usual {
  double step_ns = 0;
  double readings = 0;
};

std::optional<Usual> usual_of(const Stamps& stamps) {
  std::vector<double> steps;
  std::vector<double> counts;
  for (std::size_t k = 0; k + 1 < stamps.size(); ++k) {
    steps.push_back(static_cast<double>(stamps.ns[k + 1] - stamps.ns[k]));
    if (k > 0) counts.push_back(static_cast<double>(stamps.count(k)));
  }
  const auto step = median(std::move(steps));
  const auto count = median(std::move(counts));
  return step && count ? std::optional(Usual{*step, *count}) : std::nullopt;
}

template <class T>
std::uint64_t spread(run::Series<T>& series) {
  const Stamps stamps = stamps_of(series.time_ns);
  const auto usual = usual_of(stamps);
  if (!usual || usual->readings < 1.5) return 0;
  for (std::size_t k = 0; k < stamps.size(); ++k) {
    const std::size_t n = stamps.count(k);
    const bool last = k + 1 == stamps.size();
    // Behind a hole nothing is known; readings end with their second.
    const double room =
        last ? usual->step_ns : std::min(usual->step_ns, static_cast<double>(stamps.ns[k + 1] - stamps.ns[k]));
    // The log begins and ends within a second: its first readings are late in theirs, its last early.
    const bool edge = k == 0 || last;
    const double places = edge ? std::max(usual->readings, static_cast<double>(n)) : static_cast<double>(n);
    const double skipped = k == 0 ? places - static_cast<double>(n) : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double place = (skipped + static_cast<double>(i)) / places;
      series.time_ns[stamps.begin[k] + i] = stamps.ns[k] + static_cast<std::int64_t>(room * place);
    }
  }
  return series.size() - stamps.size();
}

}  // namespace

void spread_stamps(GpuRows& rows, QualityLedger& quality) {
  run::GpuPower& gpu = rows.power;
  const PowerSensor sensor = sensor_for_energy(gpu);
  const auto& times = sensor.series != nullptr ? sensor.series->time_ns : gpu.energy_mj.time_ns;
  if (times.size() < 4 || !whole_seconds(times)) return;
  std::uint64_t moved = 0;
  const auto each = [&moved](auto& series) { moved = std::max(moved, spread(series)); };
  each(gpu.power_draw_w);
  each(gpu.power_instant_w);
  each(gpu.power_average_w);
  each(gpu.power_samples_w);
  each(gpu.energy_mj);
  each(gpu.sm_mhz);
  each(gpu.mem_mhz);
  each(gpu.temperature_c);
  each(gpu.event_reasons);
  if (moved == 0) return;
  quality.add(
      "power.stamps-spread", Severity::warning,
      fmt::format("{}: the times are whole seconds and several readings carry one: they were spread evenly up to "
                  "the next. Each may be off by half a second, so may the edges of phases; log with fractions of "
                  "a second (if the rows are of several GPUs, log index and uuid)",
                  label_of(gpu.gpu)),
      moved);
}

}  // namespace kernwatt::readers
