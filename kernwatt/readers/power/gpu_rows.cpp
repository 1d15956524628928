// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/gpu_rows.hpp"

#include <algorithm>
#include <utility>

#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

constexpr std::int64_t hour_ns = 3'600'000'000'000;
constexpr std::uint64_t most_clock_changes = 8;  // a log of several years
constexpr double highest_clock_mhz = 1e5;
constexpr std::size_t most_tokens = 20;

run::Series<double>* series_of(run::GpuPower& power, ColumnRole role) {
  switch (role) {
    case power_draw:
      return &power.power_draw_w;
    case power_instant:
      return &power.power_instant_w;
    case power_average:
      return &power.power_average_w;
    case power_sample:
      return &power.power_samples_w;
    case sm_clock:
    case graphics_clock:
      return &power.sm_mhz;
    case memory_clock:
      return &power.mem_mhz;
    case temperature:
      return &power.temperature_c;
    default:
      return nullptr;
  }
}

void take_number(GpuRows& gpu, const Column& column, const CellValue& value, std::int64_t ns) {
  if (column.role == energy) {
    gpu.power.energy_mj.push(ns, value.energy_mj);
    return;
  }
  if (column.role == event_reasons) {
    gpu.power.event_reasons.push(ns, static_cast<std::uint64_t>(value.energy_mj));
    return;
  }
  const bool limit = column.role == enforced_power_limit || (column.role == power_limit && !gpu.limit_is_enforced);
  if (limit && value.value > 0) {
    gpu.power.power_limit_w = value.value;
    gpu.limit_is_enforced = column.role == enforced_power_limit;
  }
  if (column.role == module_power) ++gpu.module_readings;
  run::Series<double>* const series = series_of(gpu.power, column.role);
  if (series == nullptr) return;
  if (!is_power(column.role) && (value.value < 0 || value.value > highest_clock_mhz)) {
    ++gpu.sentinels;
    return;
  }
  series->push(ns, value.value);
}

std::int64_t pace_of(const GpuRows& gpu) {
  return std::clamp<std::int64_t>(gpu.last_step_ns, 200'000'000, 60'000'000'000);
}

// The end of summer time: the clock falls back by an hour while the polls go on at their pace.
bool falls_back(const GpuRows& gpu, std::int64_t step) {
  return step < 0 && step + hour_ns > 0 && step + hour_ns <= 10 * pace_of(gpu);
}

// Its beginning: from a full hour of the night the clock leaps to the next. A hole in the log of just that length at
// just that time is hardly possible, but only the pace and the hour tell the two apart, so both are asked strictly.
bool leaps_forward(const GpuRows& gpu, std::int64_t step) {
  constexpr std::int64_t latest_hour = 4;
  constexpr std::int64_t near_ns = 60'000'000'000;
  if (gpu.last_step_ns <= 0) return false;
  const std::int64_t rest = step - hour_ns;
  if (rest < 0 || rest > 3 * pace_of(gpu)) return false;
  // A reading exactly on the hour is the first of the new time.
  const std::int64_t local_ns = *gpu.last_ns - gpu.shift_ns;
  const std::int64_t to_the_hour = hour_ns - local_ns % hour_ns;
  const std::int64_t hour = (local_ns + to_the_hour) / hour_ns % 24;
  return hour <= latest_hour && to_the_hour <= std::max(near_ns, 3 * pace_of(gpu)) && rest <= to_the_hour + near_ns;
}

}  // namespace

void TimeFacts::note(const Timestamp& stamp) {
  absolute += stamp.kind == TimeKind::absolute ? 1U : 0U;
  civil += stamp.kind == TimeKind::civil ? 1U : 0U;
  relative += stamp.kind == TimeKind::relative ? 1U : 0U;
  day_first += stamp.day_order == DayOrder::day_first ? 1U : 0U;
  month_first += stamp.day_order == DayOrder::month_first ? 1U : 0U;
  undecidable += stamp.day_order == DayOrder::undecidable ? 1U : 0U;
}

run::TimeBasis basis_of(const TimeFacts& time) {
  if (time.civil > 0) return run::TimeBasis::local_unknown;
  return time.absolute > 0 ? run::TimeBasis::absolute : run::TimeBasis::unknown_zero;
}

std::int64_t place_in_time(GpuRows& gpu, const Timestamp& stamp) {
  std::int64_t ns = stamp.ns + gpu.shift_ns;
  if (gpu.last_ns) {
    const std::int64_t step = ns - *gpu.last_ns;
    const bool may_change =
        stamp.kind == TimeKind::civil && gpu.clock_set_back + gpu.clock_set_forward < most_clock_changes;
    if (may_change && falls_back(gpu, step)) {
      gpu.shift_ns += hour_ns;
      ++gpu.clock_set_back;
      ns += hour_ns;
    } else if (may_change && leaps_forward(gpu, step)) {
      gpu.shift_ns -= hour_ns;
      ++gpu.clock_set_forward;
      ns -= hour_ns;
    } else if (step < 0) {
      ++gpu.backward_steps;
      gpu.largest_step_back_ns = std::max(gpu.largest_step_back_ns, -step);
    } else if (step > 0) {
      gpu.last_step_ns = step;
    }
  }
  gpu.last_ns = ns;
  return ns;
}

void take_cell(GpuRows& gpu, const Column& column, const CellValue& value, std::int64_t ns, bool only_power,
               RowOutcome& outcome) {
  const bool is_energy = column.role == energy;
  const bool of_power = is_power(column.role);
  switch (value.kind) {
    case CellKind::number:
      take_number(gpu, column, value, ns);
      outcome.any_power |= of_power;
      outcome.any_energy |= is_energy;
      return;
    case CellKind::missing:
      if ((of_power || is_energy) && outcome.missing.empty()) outcome.missing = visible_text(value.token);
      // Boards without a module have no module power: that is no loss.
      if (!is_energy && !only_power && column.role != module_power && column.role != event_reasons) {
        ++gpu.other_missing[column.header];
      }
      if (is_energy) outcome.counter_without_value = &column;
      return;
    case CellKind::sentinel:
      ++gpu.sentinels;
      if (of_power || is_energy) outcome.missing = "a number that means not supported";
      return;
    case CellKind::wrapped:
      ++gpu.wrapped;
      outcome.missing = "a wrapped number";
      return;
  }
}

void close_row(GpuRows& gpu, std::int64_t ns, bool wants_power, bool wants_any, RowOutcome& outcome) {
  ++gpu.power.rows;
  // Of a log without powers the row is missing, which is said of the row.
  if (wants_power && outcome.counter_without_value != nullptr) {
    ++gpu.other_missing[outcome.counter_without_value->header];
  }
  if (!wants_any || (wants_power ? outcome.any_power : outcome.any_energy)) return;
  ++gpu.power.missing_power;
  gpu.missing_power_ns.push_back(ns);
  // The tokens are the file's: a log of garbage must not fill the memory with them.
  if (gpu.missing_tokens.size() >= most_tokens && !gpu.missing_tokens.contains(outcome.missing)) {
    outcome.missing = "other text";
  }
  ++gpu.missing_tokens[outcome.missing];
}

run::GpuPower finished(GpuRows rows) {
  run::GpuPower power = std::move(rows.power);
  power.missing_tokens.reserve(rows.missing_tokens.size());
  for (const auto& [token, count] : rows.missing_tokens) power.missing_tokens.push_back({token, count});
  return power;
}

}  // namespace kernwatt::readers
