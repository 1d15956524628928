// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernwatt/readers/power/power_math.hpp"
#include "kernwatt/readers/power/stamp_spread.hpp"
#include "kernwatt/readers/power/timestamp.hpp"

namespace kernwatt::readers {

namespace {

std::array<run::Series<double>*, 4> powers_of(run::GpuPower& gpu) {
  return {&gpu.power_draw_w, &gpu.power_instant_w, &gpu.power_average_w, &gpu.power_samples_w};
}

template <class Visit>
void for_each_series(run::GpuPower& gpu, Visit visit) {
  for (run::Series<double>* series : powers_of(gpu)) visit(*series);
  visit(gpu.sm_mhz);
  visit(gpu.mem_mhz);
  visit(gpu.temperature_c);
  visit(gpu.energy_mj);
  visit(gpu.event_reasons);
}

template <class T>
void sort_by_time(run::Series<T>& series) {
  if (std::is_sorted(series.time_ns.begin(), series.time_ns.end())) return;
  std::vector<std::size_t> order(series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return series.time_ns[a] < series.time_ns[b]; });
  run::Series<T> sorted;
  for (const std::size_t i : order) sorted.push(series.time_ns[i], series.value[i]);
  series = std::move(sorted);
}

template <class T, class Keep>
std::vector<std::int64_t> remove_unless(run::Series<T>& series, Keep keep) {
  std::vector<std::int64_t> removed;
  std::size_t to = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (keep(i)) {
      series.time_ns[to] = series.time_ns[i];
      series.value[to++] = series.value[i];
    } else {
      removed.push_back(series.time_ns[i]);
    }
  }
  series.time_ns.resize(to);
  series.value.resize(to);
  return removed;
}

template <class T>
void append(run::Series<T>& series, const run::Series<T>& other) {
  series.time_ns.insert(series.time_ns.end(), other.time_ns.begin(), other.time_ns.end());
  series.value.insert(series.value.end(), other.value.begin(), other.value.end());
}

void add_counts(std::map<std::string, std::uint64_t>& counts, const std::map<std::string, std::uint64_t>& more) {
  for (const auto& [key, count] : more) counts[key] += count;
}

void order_in_time(GpuRows& rows, const RepairContext& context, QualityLedger& quality) {
  if (context.exchange_day_and_month) {
    const auto exchange = [](std::int64_t& t) { t = exchange_day_and_month(t); };
    for_each_series(rows.power, [&](auto& s) { std::for_each(s.time_ns.begin(), s.time_ns.end(), exchange); });
    std::for_each(rows.missing_power_ns.begin(), rows.missing_power_ns.end(), exchange);
  }
  for_each_series(rows.power, [](auto& series) { sort_by_time(series); });
  std::sort(rows.missing_power_ns.begin(), rows.missing_power_ns.end());
  const std::string label = label_of(rows.power.gpu);
  if (rows.backward_steps > 0 && !context.exchange_day_and_month) {
    quality.add("power.time-backwards", Severity::warning,
                fmt::format("{}: the time goes backwards {} time(s), by up to {:.3f} s (two writers, or logs put one "
                            "after the other): the rows were sorted by time",
                            label, rows.backward_steps, static_cast<double>(rows.largest_step_back_ns) * 1e-9),
                rows.backward_steps);
  }
  if (rows.clock_set_forward > 0) {
    quality.add(
        "power.clock-set-forward", Severity::warning,
        fmt::format("{}: the local time leaps by an hour at a full hour of the night while the pace of the rows "
                    "goes on, as at the beginning of summer time: the rows after it were moved back by an hour",
                    label),
        rows.clock_set_forward);
  }
  if (rows.clock_set_back > 0) {
    quality.add("power.clock-set-back", Severity::warning,
                fmt::format("{}: the local time falls back by an hour between two rows, as at the end of summer time: "
                            "the rows after it were moved forward by an hour",
                            label),
                rows.clock_set_back);
  }
}

void mend_power_unit(GpuRows& rows, const RepairContext& context, QualityLedger& quality) {
  if (context.power_unit_known) return;
  for (run::Series<double>* series : powers_of(rows.power)) {
    // An idle board draws 5 W and no board 5 kW: the medians of W and mW do not meet.
    const auto middle = median(series->value);
    if (!middle || *middle <= 5000 || *middle > 5e6) continue;
    for (double& value : series->value) value *= 1e-3;
    quality.add("power.unit-guessed", Severity::warning,
                fmt::format("{}: the powers have no unit and a median of {:.0f}: read as mW", label_of(rows.power.gpu),
                            *middle),
                series->size());
  }
}

bool any_reading_at(const run::GpuPower& gpu, std::int64_t t) {
  const auto has = [t](const auto& s) { return std::binary_search(s.time_ns.begin(), s.time_ns.end(), t); };
  return has(gpu.power_draw_w) || has(gpu.power_instant_w) || has(gpu.power_average_w) || has(gpu.power_samples_w);
}

void count_as_missing(GpuRows& rows, const std::vector<std::int64_t>& removed, const std::string& token) {
  for (const std::int64_t t : removed) {
    if (any_reading_at(rows.power, t)) continue;
    ++rows.power.missing_power;
    ++rows.missing_tokens[token];
    rows.missing_power_ns.push_back(t);
  }
  std::sort(rows.missing_power_ns.begin(), rows.missing_power_ns.end());
}

void reject_impossible(GpuRows& rows, QualityLedger& quality) {
  const std::string label = label_of(rows.power.gpu);
  for (run::Series<double>* series : powers_of(rows.power)) {
    const auto sane = [&](std::size_t i) { return series->value[i] >= 0 && series->value[i] <= impossible_w; };
    double worst = 0;
    for (std::size_t i = 0; i < series->size(); ++i) {
      if (!sane(i) && std::abs(series->value[i]) > std::abs(worst)) worst = series->value[i];
    }
    const auto removed = remove_unless(*series, sane);
    if (!removed.empty()) {
      quality.add("power.impossible-value", Severity::warning,
                  fmt::format("{}: {} power reading(s) left out that no board can have, up to {:.6g} W", label,
                              removed.size(), worst),
                  removed.size());
      count_as_missing(rows, removed, "an impossible power");
    }
    const auto zeros = remove_unless(*series, [&](std::size_t i) { return series->value[i] > 0; });
    if (zeros.empty()) continue;
    quality.add("power.zero-reading", Severity::warning,
                fmt::format("{}: {} power reading(s) of 0 W left out: a board that answers draws power, so this is a "
                            "value that was not measured (or a second die whose power another device reports)",
                            label, zeros.size()),
                zeros.size());
    count_as_missing(rows, zeros, "0 W");
  }
}

void reject_spikes(GpuRows& rows, QualityLedger& quality) {
  if (!rows.power.power_limit_w) return;
  const double limit = *rows.power.power_limit_w;
  for (run::Series<double>* series : powers_of(rows.power)) {
    // Bursts reach 1.35 times the limit before the limiter acts (docs/method.md). Twice the limit, and seldom, is no
    // power; often, and it is the limit that is wrong.
    const auto above = static_cast<std::size_t>(
        std::count_if(series->value.begin(), series->value.end(), [limit](double w) { return w > 2 * limit; }));
    if (above == 0) continue;
    const double highest = *std::max_element(series->value.begin(), series->value.end());
    const bool seldom = above * 100 <= series->size() || above == 1;
    if (seldom) {
      const auto removed = remove_unless(*series, [&](std::size_t i) { return series->value[i] <= 2 * limit; });
      count_as_missing(rows, removed, "a spike above the limit");
    }
    quality.add(
        "power.above-limit", Severity::warning,
        fmt::format("{}: {} power reading(s), up to {:.1f} W, are more than twice the board's limit of {:.0f} W: {}",
                    label_of(rows.power.gpu), above, highest, limit, seldom ? "left out" : "kept, being many"),
        above);
  }
}

void mend_counter(GpuRows& rows, QualityLedger& quality) {
  auto& counter = rows.power.energy_mj;
  const std::string label = label_of(rows.power.gpu);
  if (rows.wrapped > 0) {
    quality.add("power.counter-wrapped", Severity::warning,
                fmt::format("{}: {} energy reading(s) near 2^64 or below 0 left out: a negative difference stored "
                            "without its sign",
                            label, rows.wrapped),
                rows.wrapped);
  }
  const std::vector<std::int64_t> value = counter.value;
  // Alone off a rising line: an error of reading, not a reset, after which the count would go on from where it fell.
  const auto outlier = [&value](std::size_t i) {
    return i > 0 && i + 1 < value.size() && value[i - 1] <= value[i + 1] &&
           (value[i] < value[i - 1] || value[i] > value[i + 1]);
  };
  const auto removed = remove_unless(counter, [&](std::size_t i) { return !outlier(i); });
  if (!removed.empty()) {
    quality.add("power.counter-outlier", Severity::warning,
                fmt::format("{}: {} energy reading(s) off the counter's rising line left out", label, removed.size()),
                removed.size());
  }
}

void check_counter(GpuRows& rows, QualityLedger& quality) {
  auto& counter = rows.power.energy_mj;
  if (counter.size() < 2) return;
  const std::string label = label_of(rows.power.gpu);
  const CounterFacts facts = counter_facts(rows.power, sensor_for_energy(rows.power));
  if (facts.resets >= 3 && facts.resets * 10 > counter.size()) {
    quality.add("power.energy-not-cumulative", Severity::warning,
                fmt::format("{}: the energy falls in {} of {} steps, so it is no running total: left out", label,
                            facts.resets, counter.size() - 1),
                counter.size());
    counter = {};
    return;
  }
  if (facts.frozen) {
    const std::string drawn = facts.has_power ? fmt::format("while {:.1f} J are drawn by power", facts.by_power_j)
                                              : std::string("longer than any board goes without energy");
    quality.add("power.counter-frozen", Severity::warning,
                fmt::format("{}: the energy counter stands at {} mJ for {:.1f} s, {}: left out", label,
                            counter.value.front(), facts.span_s, drawn),
                counter.size());
    counter = {};
    return;
  }
  const int decades = decades_off(facts);
  if (decades == 0) return;
  const double factor = std::pow(10.0, -decades);
  for (std::int64_t& mj : counter.value) {
    const double mended = static_cast<double>(mj) * factor;
    if (mended > 9e18) return;
    mj = static_cast<std::int64_t>(std::llround(mended));
  }
  const std::string against =
      facts.has_power ? fmt::format("against {:.6g} J by power", facts.rising_by_power_j)
                      : fmt::format("in {:.1f} s, more than any board can draw, and there is no power to compare with",
                                    facts.span_s);
  quality.add(
      "power.counter-unit", Severity::warning,
      fmt::format("{}: read in the unit of its column the energy counter says {:.6g} J, {}: the unit is off by {} "
                  "(NVIDIA's counters are in mJ). Mended",
                  label, facts.rising_j, against, decades == 3 || decades == -3 ? "1000" : "10^6 or more"),
      counter.size());
}

double longest_hole_s(const GpuRows& rows) {
  const PowerSensor sensor = sensor_for_energy(rows.power);
  const auto& times = sensor.series != nullptr ? sensor.series->time_ns : rows.power.energy_mj.time_ns;
  std::int64_t longest = 0;
  for (const std::int64_t missing : rows.missing_power_ns) {
    const auto after = std::lower_bound(times.begin(), times.end(), missing);
    const std::int64_t from = after == times.begin() ? missing : *std::prev(after);
    const std::int64_t to = after == times.end() ? rows.missing_power_ns.back() : *after;
    longest = std::max(longest, to - from);
  }
  return static_cast<double>(longest) * 1e-9;
}

void report_missing(const GpuRows& rows, QualityLedger& quality) {
  if (rows.power.missing_power == 0 || rows.power.missing_power == rows.power.rows) return;
  std::string tokens;
  for (const auto& [token, count] : rows.missing_tokens) {
    tokens += fmt::format("{}{} x {}", tokens.empty() ? "" : ", ", token, count);
  }
  quality.add(
      "power.missing-readings", Severity::warning,
      fmt::format("{}: {} of {} rows have no usable reading ({}); the longest stretch between readings that "
                  "this leaves is {:.3f} s, bridged by a straight line",
                  label_of(rows.power.gpu), rows.power.missing_power, rows.power.rows, tokens, longest_hole_s(rows)),
      rows.power.missing_power);
}

}  // namespace

void repair(GpuRows& rows, const RepairContext& context, QualityLedger& quality) {
  order_in_time(rows, context, quality);
  if (rows.backward_steps == 0 && context.may_spread_stamps) spread_stamps(rows, quality);
  mend_power_unit(rows, context, quality);
  reject_impossible(rows, quality);
  reject_spikes(rows, quality);
  mend_counter(rows, quality);
  check_counter(rows, quality);
  report_missing(rows, quality);
}

void remove_readings_at(GpuRows& rows, std::int64_t ns) {
  for_each_series(rows.power, [ns](auto& series) {
    remove_unless(series, [&](std::size_t i) { return series.time_ns[i] != ns; });
  });
  const auto removed = std::erase(rows.missing_power_ns, ns);
  rows.power.missing_power -= removed;
}

void absorb(GpuRows& rows, GpuRows other) {
  append(rows.power.power_draw_w, other.power.power_draw_w);
  append(rows.power.power_instant_w, other.power.power_instant_w);
  append(rows.power.power_average_w, other.power.power_average_w);
  append(rows.power.power_samples_w, other.power.power_samples_w);
  append(rows.power.sm_mhz, other.power.sm_mhz);
  append(rows.power.mem_mhz, other.power.mem_mhz);
  append(rows.power.temperature_c, other.power.temperature_c);
  append(rows.power.energy_mj, other.power.energy_mj);
  append(rows.power.event_reasons, other.power.event_reasons);
  rows.missing_power_ns.insert(rows.missing_power_ns.end(), other.missing_power_ns.begin(),
                               other.missing_power_ns.end());
  rows.power.rows += other.power.rows;
  rows.power.missing_power += other.power.missing_power;
  rows.sentinels += other.sentinels;
  rows.wrapped += other.wrapped;
  rows.module_readings += other.module_readings;
  rows.backward_steps += other.backward_steps;
  rows.largest_step_back_ns = std::max(rows.largest_step_back_ns, other.largest_step_back_ns);
  add_counts(rows.missing_tokens, other.missing_tokens);
  add_counts(rows.other_missing, other.other_missing);
}

}  // namespace kernwatt::readers
