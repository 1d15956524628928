// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "kernwatt/readers/power/power_math.hpp"
#include "kernwatt/readers/power/stuck_stretch.hpp"
#include "kernwatt/run/enough_readings.hpp"

namespace kernwatt::readers {

namespace {

constexpr double mismatch_limit = 0.05;
constexpr double sensors_differ = 0.02;

/// What the checks of one GPU look at.
struct Subject {
  const run::GpuPower& gpu;
  PowerSensor sensor;
  std::string label;
};

template <class T>
void describe_series(const run::Series<T>& series, std::uint64_t rows, run::PowerSummary& summary) {
  summary.samples = series.size();
  summary.missing = rows > series.size() ? rows - series.size() : 0;
  if (series.empty()) return;
  summary.start_ns = series.time_ns.front();
  summary.end_ns = series.time_ns.back();
  if (series.size() > 1) summary.max_gap_s = rhythm_of(series).longest_gap_s;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const auto shown = std::span(names).first(std::min(names.size(), most));
  const std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

bool has_span(const run::PowerSummary& summary) { return summary.samples > 1 && *summary.end_ns > *summary.start_ns; }

// Many boards have the same fault in one log: it is one entry.
void report_no_span(const run::PowerLog& log, const std::vector<run::PowerSummary>& summaries, QualityLedger& quality) {
  if (log.quality.contains("power.no-times")) return;  // which says more
  std::vector<std::string> single;
  std::vector<std::string> no_span;
  std::uint64_t readings = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (summaries[i].samples == 0 || has_span(summaries[i])) continue;
    (summaries[i].samples == 1 ? single : no_span).push_back(label_of(log.gpus[i].gpu));
    readings += summaries[i].samples == 1 ? 0 : summaries[i].samples;
  }
  if (!single.empty()) {
    quality.add("power.single-reading", Severity::warning,
                fmt::format("{} ha{} one reading: a power at an instant, from which no energy follows", some_of(single),
                            single.size() == 1 ? "s" : "ve"),
                single.size());
  }
  if (!no_span.empty()) {
    quality.add("power.no-time-span", Severity::error,
                fmt::format("all readings of {} carry the same time, so no energy can be computed: log with a "
                            "timestamp that has fractions of a second",
                            some_of(no_span)),
                readings);
  }
}

void report_gap(const Subject& subject, const Rhythm& rhythm, QualityLedger& quality) {
  if (!rhythm.poll_s || rhythm.longest_gap_s <= 0.5 || rhythm.longest_gap_s <= 10 * *rhythm.poll_s) return;
  quality.add("power.gap", Severity::warning,
              fmt::format("{}: {:.3f} s without a reading, where one usually comes every {:.3f} s; the integral "
                          "bridges it by a straight line",
                          subject.label, rhythm.longest_gap_s, *rhythm.poll_s));
}

bool counter_confirms(const Subject& subject) {
  if (subject.gpu.energy_mj.size() < 2) return false;
  const CounterFacts facts = counter_facts(subject.gpu, subject.sensor);
  return facts.total_j > 0 && std::abs(facts.total_j - facts.by_power_j) <= mismatch_limit * facts.by_power_j;
}

// A live sensor varies. What a stuck value adds up to looks like an energy and is none.
bool is_stuck(const Subject& subject, const Rhythm& rhythm, const run::PowerSummary& summary) {
  const double span_s = static_cast<double>(*summary.end_ns - *summary.start_ns) * 1e-9;
  return rhythm.changes == 0 && summary.samples >= 50 && span_s >= 60 && !counter_confirms(subject);
}

// Of whole watts an idle board may repeat one for minutes; of hundredths none does.
bool in_whole_watts(const Subject& subject) {
  const double watts = subject.sensor.series->value.front();
  return watts == std::floor(watts);
}

void report_stuck(const Subject& subject, const run::PowerSummary& summary, double sum_j, QualityLedger& quality) {
  const double span_s = static_cast<double>(*summary.end_ns - *summary.start_ns) * 1e-9;
  const bool doubt = in_whole_watts(subject);
  const std::string what =
      fmt::format("{}: all {} readings of {} over {:.1f} s are exactly {:.2f} W", subject.label, summary.samples,
                  subject.sensor.name, span_s, subject.sensor.series->value.front());
  quality.add(
      "power.sensor-stuck", doubt ? Severity::warning : Severity::error,
      doubt ? fmt::format("{}. A live sensor varies, unless the log has whole watts: the {:.0f} J may be those of "
                          "a dead one",
                          what, sum_j)
            : fmt::format("{}. A live sensor varies: this one looks dead. The {:.0f} J that the stuck value adds "
                          "up to were not measured, so no energy is given",
                          what, sum_j),
      summary.samples);
}

void report_stuck_for(const Subject& subject, QualityLedger& quality) {
  const auto stretch = stuck_stretch(*subject.sensor.series, subject.gpu.energy_mj);
  if (!stretch) return;
  const auto begin_ns = subject.sensor.series->time_ns.front();
  quality.add(
      "power.sensor-stuck-for", Severity::warning,
      fmt::format("{}: from {:.1f} s on, for {:.1f} s, all {} readings of {} are exactly {:.2f} W, while before or "
                  "after they vary all the time: the sensor looks dead there, and the {:.0f} J of that time "
                  "rest on one value",
                  subject.label, static_cast<double>(stretch->from_ns - begin_ns) * 1e-9,
                  static_cast<double>(stretch->to_ns - stretch->from_ns) * 1e-9, stretch->readings, subject.sensor.name,
                  stretch->watts, stretch->energy_j),
      stretch->readings);
}

// Readings minutes apart show instants. Many of them are a fair sample of the mean; a handful is none.
bool is_sparse(const Subject& subject, const Rhythm& rhythm, const run::PowerSummary& summary, QualityLedger& quality) {
  constexpr double far_apart_s = 60;
  if (!rhythm.poll_s) return false;
  const bool few = run::too_few_for_energy(summary.samples, *rhythm.poll_s);
  if (!few && *rhythm.poll_s <= far_apart_s) return false;
  quality.add("power.sparse", Severity::warning,
              fmt::format("{}: {} readings, {:.{}f} s apart: nothing between them was seen, {}", subject.label,
                          summary.samples, *rhythm.poll_s, *rhythm.poll_s < 10 ? 2 : 0,
                          few ? "and so few instants give no energy" : "so the integral is that of a sample"),
              summary.samples);
  return few;
}

void report_slow(const Subject& subject, const Rhythm& rhythm, QualityLedger& quality) {
  // Of a few changes nothing follows: they may be the program's.
  if (!rhythm.poll_s || !rhythm.change_s || rhythm.changes < 10) return;
  if (*rhythm.change_s < 0.5 || *rhythm.change_s > 10 || *rhythm.poll_s > *rhythm.change_s / 2) return;
  quality.add("power.slow-sensor", Severity::info,
              fmt::format("{}: {} is polled every {:.3f} s but changes once in {:.2f} s: nothing shorter can be seen "
                          "in it",
                          subject.label, subject.sensor.name, *rhythm.poll_s, *rhythm.change_s));
}

// The other sensors' integrals, where they say something else.
std::string other_sensors(const Subject& subject, double energy_j) {
  std::string text;
  const auto add = [&](const run::Series<double>& series, std::string_view name) {
    if (&series == subject.sensor.series || series.size() < 2) return;
    const double other_j = integrate_j(series);
    if (std::abs(other_j - energy_j) <= sensors_differ * energy_j) return;
    text += fmt::format("; {} gives {:.2f} J", name, other_j);
  };
  add(subject.gpu.power_draw_w, "power.draw");
  add(subject.gpu.power_instant_w, "power.draw.instant");
  add(subject.gpu.power_average_w, "power.draw.average");
  add(subject.gpu.power_samples_w, "the driver's samples");
  return text;
}

// Only worth a word where it matters which sensor was taken.
void report_sensor(const Subject& subject, const run::PowerSummary& summary, QualityLedger& quality) {
  const std::string others = other_sensors(subject, *summary.energy_j);
  if (others.empty()) return;
  quality.add("power.sensor-used", Severity::info,
              fmt::format("{}: the energy is that of {}, {:.2f} J{}. Sensors differ in their window and lag",
                          subject.label, subject.sensor.name, *summary.energy_j, others));
}

void summarise_power(const Subject& subject, run::PowerSummary& summary, QualityLedger& quality) {
  describe_series(*subject.sensor.series, subject.gpu.rows, summary);
  if (!has_span(summary)) return;
  const double sum_j = integrate_j(*subject.sensor.series);
  const Rhythm rhythm = rhythm_of(*subject.sensor.series);
  report_gap(subject, rhythm, quality);
  report_slow(subject, rhythm, quality);
  if (is_stuck(subject, rhythm, summary)) {
    report_stuck(subject, summary, sum_j, quality);
    if (!in_whole_watts(subject)) return;
  }
  report_stuck_for(subject, quality);
  if (is_sparse(subject, rhythm, summary, quality)) return;
  summary.energy_j = sum_j;
  report_sensor(subject, summary, quality);
}

void report_reset(const Subject& subject, const CounterFacts& facts, QualityLedger& quality) {
  if (facts.resets + facts.leaps == 0) return;
  const std::string by_power = facts.has_power
                                   ? fmt::format("about {:.1f} J by the power readings", facts.uncovered_by_power_j)
                                   : std::string("no power readings to fill it");
  quality.add(
      "power.counter-reset", Severity::warning,
      fmt::format("{}: the energy counter went backwards {} time(s) and leapt {} time(s). Its runs between add up "
                  "to {:.3f} J; {:.3f} s are not covered ({})",
                  subject.label, facts.resets, facts.leaps, facts.total_j, facts.uncovered_s, by_power),
      facts.resets + facts.leaps);
}

void report_resolution(const Subject& subject, const CounterFacts& facts, QualityLedger& quality) {
  const Rhythm rhythm = rhythm_of(subject.gpu.energy_mj);
  if (!rhythm.poll_s || !rhythm.change_s || !facts.step_j || *rhythm.change_s <= 1.5 * *rhythm.poll_s) return;
  quality.add("power.counter-resolution", Severity::info,
              fmt::format("{}: the energy counter moves once in {:.0f} ms, by {:.3g} J: over anything shorter its "
                          "difference is 0 or a whole step",
                          subject.label, *rhythm.change_s * 1e3, *facts.step_j));
}

void report_agreement(const Subject& subject, const CounterFacts& facts, QualityLedger& quality) {
  if (!facts.has_power || facts.by_power_j <= 0 || facts.resets + facts.leaps > 0) return;
  if (const int decades = decades_off(facts); decades != 0) {
    quality.add(
        "power.counter-unit", Severity::warning,
        fmt::format("{}: the energy counter says {:.6g} J against {:.6g} J by power, {} times as much: its unit "
                    "is not the one that its column names (NVIDIA's counters are in mJ)",
                    subject.label, facts.total_j, facts.by_power_j, decades > 0 ? "1000" : "1/1000"));
    return;
  }
  const double larger = std::max(facts.total_j, facts.by_power_j);
  const double difference = std::abs(facts.total_j - facts.by_power_j);
  // A log of a few steps may miss one at either end.
  if (difference <= mismatch_limit * larger || difference <= 2 * facts.step_j.value_or(0)) return;
  quality.add(
      "power.counter-mismatch", Severity::warning,
      fmt::format("{}: over the same {:.1f} s the energy counter says {:.2f} J and {} {:.2f} J: ratio {:.3f}, "
                  "{:.0f} % apart. Both are given; do not compare runs that use one with runs that use the other",
                  subject.label, facts.span_s, facts.total_j, subject.sensor.name, facts.by_power_j,
                  facts.total_j / facts.by_power_j, 100 * difference / larger));
}

void summarise_counter(const Subject& subject, run::PowerSummary& summary, QualityLedger& quality) {
  const auto& counter = subject.gpu.energy_mj;
  if (subject.sensor.series == nullptr) {
    describe_series(counter, subject.gpu.rows, summary);
  }
  if (counter.size() < 2 || counter.time_ns.back() == counter.time_ns.front()) return;
  const CounterFacts facts = counter_facts(subject.gpu, subject.sensor);
  if (facts.frozen) {
    quality.add(
        "power.counter-frozen", Severity::warning,
        fmt::format("{}: the energy counter stands still for {:.1f} s{}; it is not used", subject.label, facts.span_s,
                    facts.has_power ? fmt::format(" while {:.1f} J are drawn by power", facts.by_power_j)
                                    : std::string(", longer than any board goes without energy")),
        counter.size());
    return;
  }
  if (facts.total_j <= 0 && facts.resets + facts.leaps == 0) {
    quality.add(
        "power.counter-resolution", Severity::info,
        fmt::format("{}: the energy counter does not move in the {:.3f} s of the log: less than one of its steps, "
                    "and no energy",
                    subject.label, facts.span_s));
    return;
  }
  summary.energy_counter_j = facts.total_j;
  report_reset(subject, facts, quality);
  report_resolution(subject, facts, quality);
  report_agreement(subject, facts, quality);
}

void report_without_power(const run::PowerLog& log, QualityLedger& quality) {
  std::vector<std::string> names;
  for (const run::GpuPower& gpu : log.gpus) {
    if (sensor_for_energy(gpu).series == nullptr && gpu.energy_mj.empty()) names.push_back(label_of(gpu.gpu));
  }
  if (names.empty()) return;
  const bool all = names.size() == log.gpus.size();
  quality.add(
      "power.gpu-without-power", all ? Severity::error : Severity::warning,
      all ? fmt::format("the log has no reading of power or energy, for none of its {} GPU(s)", names.size())
          : fmt::format("{} of {} GPUs have no reading of power or energy ({}): a total over the GPUs is partial",
                        names.size(), log.gpus.size(), fmt::join(names, ", ")),
      names.size());
}

}  // namespace

std::vector<run::PowerSummary> summarise(const run::PowerLog& log, QualityLedger& quality) {
  std::vector<run::PowerSummary> summaries;
  for (const run::GpuPower& gpu : log.gpus) {
    const Subject subject{gpu, sensor_for_energy(gpu), label_of(gpu.gpu)};
    run::PowerSummary summary;
    summary.file = log.file;
    summary.format = log.format;
    summary.gpu = name_of(gpu.gpu);
    summary.missing = gpu.rows;
    if (subject.sensor.series != nullptr) summarise_power(subject, summary, quality);
    if (!gpu.energy_mj.empty()) summarise_counter(subject, summary, quality);
    summaries.push_back(std::move(summary));
  }
  report_no_span(log, summaries, quality);
  report_without_power(log, quality);
  return summaries;
}

}  // namespace kernwatt::readers
