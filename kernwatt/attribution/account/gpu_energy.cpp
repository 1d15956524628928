// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_energy.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>

#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/log_extent.hpp"
#include "kernwatt/attribution/account/tiling.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double pad_s = 1.5;
constexpr double settle_s = 0.1;
constexpr std::uint32_t max_columns = 128;

double seconds_from(const Timeline& timeline, std::int64_t ns) {
  return static_cast<double>(ns - timeline.origin_ns) * 1e-9;
}

Span traced_span(const Timeline& timeline) {
  return {seconds_from(timeline, timeline.first_ns), seconds_from(timeline, timeline.last_ns)};
}

Result<Span> selected_span(const TracedProgram& program, const Timeline& timeline, const AttributeOptions& options) {
  Span span = traced_span(timeline);
  const auto at = [&](const TimePoint& p) {
    return seconds_from(timeline, p.relative ? program.trace.launches.front().start_ns + p.ns : p.ns);
  };
  if (options.from) span.from_s = std::max(span.from_s, at(*options.from));
  if (options.to) span.to_s = std::min(span.to_s, at(*options.to));
  if (options.iterations) {
    const auto& iterations = program.structure.iterations;
    const auto [first, last] = *options.iterations;
    if (last >= iterations.size())
      return Error{ErrorCode::invalid_argument,
                   iterations.empty() ? "no iterations were found in the trace"
                                      : fmt::format("the trace has iterations 0 to {}", iterations.size() - 1),
                   "--iterations"};
    span.from_s = std::max(span.from_s, seconds_from(timeline, iterations[first].start_ns));
    span.to_s = std::min(span.to_s, seconds_from(timeline, iterations[last].end_ns));
  }
  span.to_s += 1e-9;  // a last launch without duration lies inside
  if (span.length_s() <= 0)
    return Error{ErrorCode::invalid_argument, "nothing of the trace lies in the stretch that was asked for",
                 "--from/--to"};
  return span;
}

double mean_between(const PowerPoints& points, double from_s, double to_s, std::size_t& count) {
  double sum = 0;
  count = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points.time_s[i] >= from_s && points.time_s[i] <= to_s) sum += points.watts[i], ++count;
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Is the GPU idle beside the trace? Power there is clearly lower than in it.
IdleSides idle_sides(const Timeline& timeline, const Measurement& measurement) {
  const Span trace = traced_span(timeline);
  constexpr double clearly_less = 0.6;
  constexpr std::size_t enough = 5;
  std::size_t n = 0;
  const double busy_w = mean_between(measurement.points, trace.from_s, trace.to_s, n);
  IdleSides sides;
  const double before_w = mean_between(measurement.points, trace.from_s - pad_s, trace.from_s - settle_s, n);
  sides.before = n >= enough && before_w < clearly_less * busy_w;
  const double after_w = mean_between(measurement.points, trace.to_s + 2 * settle_s, trace.to_s + pad_s, n);
  sides.after = n >= enough && after_w < clearly_less * busy_w;
  // Untraced work may end just where the trace begins, as the profiler's warm-up step does, though it was quiet before.
  constexpr double near_s = 0.12;
  const double just_before_w = mean_between(measurement.points, trace.from_s - near_s, trace.from_s, n);
  if (n >= 2 && just_before_w > clearly_less * busy_w) sides.before = false;
  const double just_after_w =
      mean_between(measurement.points, trace.to_s + settle_s, trace.to_s + settle_s + near_s, n);
  if (n >= 2 && just_after_w > clearly_less * busy_w) sides.after = false;
  return sides;
}

/// Idle beside the trace is fitted too: it shows what idle draws.
Span fit_span(const Timeline& timeline, const IdleSides& idle) {
  Span span = traced_span(timeline);
  if (idle.before) span.from_s = std::max(0.0, span.from_s - pad_s + 2 * settle_s);
  if (idle.after) span.to_s = std::min(timeline.bins * timeline.bin_s, span.to_s + pad_s - settle_s);
  return span;
}

bool has_readings(const Measurement& m, const Span& span) {
  std::size_t points = 0;
  for (const double t : m.points.time_s) points += t >= span.from_s && t <= span.to_s ? 1U : 0U;
  std::size_t edges = 0;
  for (const double t : m.edges.time_ns) edges += t * 1e-9 >= span.from_s && t * 1e-9 <= span.to_s ? 1U : 0U;
  return points > 0 || edges >= 2;
}

/// Idle and gap time inside the window, from the bins.
void count_idle(GpuEnergy& gpu) {
  double owned = 0;
  gpu.gap_s = 0;
  const Timeline& t = gpu.timeline;
  for (const BinShare& share : t.shares) {
    const double from = share.bin * t.bin_s;
    const double inside =
        std::clamp((std::min(from + t.bin_s, gpu.window.to_s) - std::max(from, gpu.window.from_s)) / t.bin_s, 0.0, 1.0);
    const double s = inside * static_cast<double>(share.seconds);
    owned += s;
    if (share.column == gpu.columns.size()) gpu.gap_s += s;
  }
  gpu.idle_s = std::max(0.0, gpu.window.length_s() - owned);
}

bool is_polled_slowly(const Measurement& m) {
  return m.points.source == PointSource::instant && m.points.poll_s > slow_poll_s && m.edges.time_ns.size() < 2;
}

/// Judged by the logs of one job thinned to polls of 10 to 500 ms, against its energy counter.
double poll_doubt(const Measurement& m) {
  constexpr double most = 0.15;
  constexpr double reached_at_s = 0.2;
  return is_polled_slowly(m) ? most * std::min(1.0, m.points.poll_s / reached_at_s) : 0;
}

void report_response(const GpuEnergy& gpu, const Measurement& m, QualityLedger& quality) {
  const PowerFit& fit = *gpu.fit;
  if (m.points.source == PointSource::average || (m.points.source == PointSource::draw && m.edges.time_ns.size() < 2))
    quality.add("power.slow-sensor", Severity::warning,
                "power comes as a mean over about a second: kernels that take turns faster than that are told apart by "
                "their kind only");
  if (is_polled_slowly(m))
    quality.add("power.polled-slowly", Severity::warning,
                fmt::format("power was read every {:.0f} ms and may be as old as that: bursts of work that are shorter "
                            "are told apart by their kind only. Read it every 20 ms, or log the energy counter too",
                            m.points.poll_s * 1e3));
  constexpr double suspicious_s = 0.020;
  const double nominal = nominal_response(m.points).delay_s;
  const double shift = fit.points > 0 ? fit.point_response.delay_s - nominal : fit.counter_response.delay_s;
  if (std::abs(shift) > suspicious_s)
    quality.add(
        "time.shifted", Severity::warning,
        fmt::format("the readings fit best when moved by {:.0f} ms against the trace; the two clocks may differ",
                    shift * 1e3));
  if (!fit.response_fitted)
    quality.add(
        "sensor.response-nominal", Severity::info,
        "the sensor's lag and delay were taken as usual for such sensors: these readings fit no better with others");
  if (!gpu.clock.reference_mhz)
    quality.add("clock.unknown", Severity::info,
                "the log has no SM clock: power is given at the clocks of the run only");
  else if (!gpu.clock.from_durations)
    quality.add("clock.readings-only", Severity::info,
                "no kernel ran often enough to show the clock; NVML's readings alone were used");
  if (m.edges.off_grid > 0)
    quality.add("counter.late-polls", Severity::info,
                "steps of the energy counter that were polled too late to place; left out", m.edges.off_grid);
}

void report_cover(const GpuEnergy& gpu, const EnergyWindow& window, const IdleSides& idle, QualityLedger& quality) {
  const Span trace = traced_span(gpu.timeline);
  const double part =
      std::max(0.0, std::min(window.span.to_s, trace.to_s) - std::max(window.span.from_s, trace.from_s)) /
      std::max(1e-9, trace.length_s());
  if (part >= 0.999) return;
  const bool by_design = window.source == "counter" && part > 0.9 && !(idle.before && idle.after);
  quality.add(
      "power.partial-cover", by_design ? Severity::info : Severity::warning,
      fmt::format(
          "readings of {} account for {:.1f} % of the trace{}; launches outside have a time but no energy", gpu.name,
          100 * part,
          by_design ? " (from its first to its last counter step: beside the trace the GPU did other work)" : ""));
}

std::string utc(std::int64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", parts);
}

/// Whether the readings lie beside the launches, after log_clock.hpp has done what could be done.
bool on_one_clock(const GpuEnergy& gpu, const run::Trace& trace, const LoggedGpu& logged, QualityLedger& quality) {
  const std::optional<Extent> log = extent_of(logged.power);
  if (!log) {
    quality.add("power.none", Severity::error, fmt::format("the log has no power and no energy of {}", logged.name));
    return false;
  }
  if (logged.basis == run::TimeBasis::unknown_zero) {
    quality.add("time.no-common-clock", Severity::error,
                fmt::format("the times of {} are not real time, and the readings of {} do not show where they belong; "
                            "give --time-offset (seconds to add to the log's times). Times only, no energy",
                            trace.time_is_absolute ? "the log" : "the trace", logged.name));
    return false;
  }
  if (log->first_ns < gpu.timeline.last_ns && log->last_ns > gpu.timeline.first_ns) return true;
  quality.add(
      "time.no-overlap", Severity::error,
      fmt::format("the readings of {} ({} to {}) and the trace ({} to {}) do not overlap, nor do they when whole "
                  "hours are added; give --time-offset, or the log of the same run. Times only, no energy",
                  logged.name, utc(log->first_ns), utc(log->last_ns), utc(gpu.timeline.first_ns),
                  utc(gpu.timeline.last_ns)));
  return false;
}

Status add_energy(GpuEnergy& gpu, const TracedProgram& program, const LoggedGpu& logged,
                  const AttributeOptions& options, QualityLedger& quality) {
  if (!on_one_clock(gpu, program.trace, logged, quality)) return {};
  const run::GpuPower& power = logged.power;
  gpu.clock = track_clock(program.trace, gpu.timeline, program.structure, power.sm_mhz);
  const double end_s = gpu.timeline.bins * gpu.timeline.bin_s;
  const Span traced = traced_span(gpu.timeline);
  const Measurement measurement =
      gather_measurement(power, gpu.timeline.origin_ns, 0, {{0, end_s}, {traced.from_s, traced.to_s}});
  const IdleSides idle = idle_sides(gpu.timeline, measurement);
  const Span span = fit_span(gpu.timeline, idle);
  if (!has_readings(measurement, span)) {
    quality.add(
        "power.no-reading-in-trace", Severity::error,
        fmt::format(
            "no reading of {} falls into the trace ({:.0f} ms): no energy. Trace longer, or read power more often",
            gpu.name, 1e3 * traced_span(gpu.timeline).length_s()));
    return {};
  }
  // A shift between the clocks shows only against enough readings; a given offset is taken nearly as it is.
  constexpr double long_enough_s = 2.0;
  const bool may_shift = options.time_offsets.empty() && traced.length_s() > long_enough_s;
  FitInput input{gpu.timeline, gpu.columns, gpu.clock, measurement, span.from_s, span.to_s, may_shift ? 0.1 : 0.005};
  gpu.fit = fit_power(input);
  gpu.bin_watts = bin_power(input, *gpu.fit);
  gpu.point_source = measurement.points.source;
  gpu.transient_limit_w = measurement.limit_w;
  gpu.poll_doubt = poll_doubt(measurement);
  report_response(gpu, measurement, quality);
  const SensorResponse& response = gpu.fit->point_response;
  const double lag_s = response.delay_s + (response.window_s > 0 ? response.window_s / 2 : response.lag_s);
  const auto window = energy_window(power, measurement, gpu.timeline.origin_ns, traced_span(gpu.timeline), idle, lag_s);
  if (!window) {
    quality.add("power.no-energy", Severity::error,
                fmt::format("fewer than two readings of {} over the trace: no energy", gpu.name));
    gpu.fit.reset();
    return {};
  }
  report_cover(gpu, *window, idle, quality);
  gpu.measured.emplace(window->knot_s, window->knot_j, gpu.bin_watts, gpu.timeline.bin_s);
  gpu.source = window->source;
  gpu.window = window->span;
  const bool part_only = options.from || options.to || options.iterations;
  if (part_only) {
    gpu.window = {std::max(gpu.selected.from_s, window->span.from_s), std::min(gpu.selected.to_s, window->span.to_s)};
    gpu.source += ", interpolated at the ends";
  }
  if (gpu.window.length_s() <= 0) {
    quality.add("power.partial-cover", Severity::error,
                "the log does not reach the stretch that was asked for: no energy");
    gpu.fit.reset();
    gpu.measured.reset();
    return {};
  }
  gpu.total_j = gpu.measured->between(gpu.window.from_s, gpu.window.to_s);
  count_idle(gpu);
  if (options.tile) KERNWATT_CHECK(lay_over_log(gpu, power, measurement, quality));
  return {};
}

}  // namespace

double GpuEnergy::cell_j(const LaunchCell& cell) const {
  if (!fit || !cell.key.covered) return 0;
  return repeats * ((fit->static_w() + fit->theta(Parameters::dynamic(cell.key.column))) * cell.owned_s +
                    fit->theta(fit->at.slope(cell.key.column)) * cell.clock_s);
}

double GpuEnergy::attributed_j() const {
  double sum = 0;
  for (const LaunchCell& cell : cells) sum += cell_j(cell);
  return sum;
}

double GpuEnergy::idle_j() const { return fit ? repeats * (fit->idle_w() * idle_s + fit->gap_w() * gap_s) : 0; }

Result<GpuEnergy> measure_gpu(const TracedProgram& program, const TracedGpu& gpu, const LoggedGpu* logged,
                              const AttributeOptions& options, QualityLedger& quality) {
  GpuEnergy out;
  out.gpu = gpu;
  const run::GpuIdentity& traced = program.trace.gpus[gpu.gpu];
  out.name = logged != nullptr ? logged->name : is_anonymous(traced) ? "GPU" : name_of(traced);
  out.columns = choose_columns(program.trace, gpu.gpu, program.structure, max_columns);
  out.timeline = build_timeline(program.trace, gpu.gpu, out.columns, pad_s);
  out.clock.log_ratio.assign(out.timeline.bins, 0.0F);
  KERNWATT_TRY(out.selected, selected_span(program, out.timeline, options));
  if (logged != nullptr) KERNWATT_CHECK(add_energy(out, program, *logged, options, quality));
  const Span covered = out.fit ? out.window : Span{0, 0};
  out.cells =
      collect_cells(program.trace, program.structure, program.overlap, out.timeline, out.clock, out.selected, covered);
  return out;
}

}  // namespace kernwatt::attribution
