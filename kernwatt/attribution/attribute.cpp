// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/attribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernwatt/attribution/account/breakdown.hpp"
#include "kernwatt/attribution/account/energy_rows.hpp"
#include "kernwatt/attribution/account/gpu_energy.hpp"
#include "kernwatt/attribution/account/gpu_join.hpp"
#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/log_clock.hpp"
#include "kernwatt/attribution/account/run_facts.hpp"
#include "kernwatt/attribution/account/strays.hpp"
#include "kernwatt/attribution/account/trace_summary.hpp"
#include "kernwatt/attribution/communication.hpp"
#include "kernwatt/attribution/structure.hpp"

namespace kernwatt::attribution {
namespace {

run::EnergyAccount account_of(const GpuEnergy& gpu) {
  run::EnergyAccount a;
  a.gpu = gpu.name;
  a.source = gpu.source;
  if (!gpu.fit) return a;
  const auto ns = [&](double s) { return gpu.timeline.origin_ns + static_cast<std::int64_t>(std::llround(s * 1e9)); };
  a.start_ns = ns(gpu.window.from_s);
  a.end_ns = ns(gpu.window.to_s);
  a.total_j = gpu.total_j;
  a.attributed_j = gpu.attributed_j();
  a.idle_j = gpu.idle_j();
  a.unattributed_j = gpu.unattributed_j();
  const SensorResponse& response = gpu.fit->points > 0 ? gpu.fit->point_response : gpu.fit->counter_response;
  a.lag_ms = 1e3 * (response.window_s > 0 ? response.window_s : response.lag_s);
  a.delay_ms = 1e3 * response.delay_s;
  a.execution_idle_w = gpu.fit->idle_w();
  const auto& c = gpu.fit->covariance;
  const Eigen::Index idle = gpu.fit->at.idle();
  const double half = 1.96 * std::sqrt(std::max(0.0, c(0, 0) + 2 * c(0, idle) + c(idle, idle)));
  a.execution_idle_ci95_w = run::Interval{gpu.fit->idle_w() - half, gpu.fit->idle_w() + half};
  a.reference_mhz = gpu.clock.reference_mhz;
  return a;
}

void add(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

/// All GPUs together. What describes a sensor is kept only where there is one.
run::EnergyAccount sum_accounts(const std::vector<run::EnergyAccount>& gpus) {
  if (gpus.size() == 1) {
    run::EnergyAccount one = gpus.front();
    one.gpu.clear();
    return one;
  }
  run::EnergyAccount sum;
  sum.source = "none";
  for (const run::EnergyAccount& g : gpus) {
    if (!g.total_j) continue;
    if (sum.source != "none" && sum.source != g.source) sum.source = "mixed";
    if (sum.source == "none") sum.source = g.source;
    sum.start_ns = std::min(sum.start_ns.value_or(*g.start_ns), *g.start_ns);
    sum.end_ns = std::max(sum.end_ns.value_or(*g.end_ns), *g.end_ns);
    add(sum.total_j, g.total_j);
    add(sum.attributed_j, g.attributed_j);
    add(sum.idle_j, g.idle_j);
    add(sum.unattributed_j, g.unattributed_j);
  }
  return sum;
}

/// Mean energy of an iteration, summed over the GPUs that share it.
class IterationMean {
 public:
  void add(const std::vector<double>& joules) {
    if (joules.empty()) return;
    double mean = 0;
    for (const double j : joules) mean += j / static_cast<double>(joules.size());
    double square = 0;
    for (const double j : joules) square += (j - mean) * (j - mean);
    mean_ += mean;
    const auto n = static_cast<double>(joules.size());
    if (n > 1) variance_ += square / (n - 1) / n;
    counted_ = std::max(counted_, joules.size());
  }

  void finish(run::IterationSummary& out, const std::optional<double>& tokens) const {
    if (counted_ == 0) return;
    out.energy_j = mean_;
    // Student's t for few iterations, near enough: 1.96 (1 + 1.5 / n) is within 2 % from n = 5 on.
    const auto n = static_cast<double>(counted_);
    const double half = 1.96 * (1 + 1.5 / n) * std::sqrt(variance_);
    if (counted_ > 2) out.energy_ci95_j = run::Interval{mean_ - half, mean_ + half};
    if (tokens && mean_ > 0) out.tokens_per_joule = *tokens / mean_;
  }

 private:
  double mean_ = 0, variance_ = 0;
  std::size_t counted_ = 0;
};

/// The iterations that lie wholly in the stretch that was asked for.
std::vector<IterationSpan> selected_iterations(const run::Trace& trace, const ProgramStructure& structure,
                                               const AttributeOptions& options) {
  const auto ns = [&](const TimePoint& p) {
    return p.relative && !trace.launches.empty() ? trace.launches.front().start_ns + p.ns : p.ns;
  };
  std::vector<IterationSpan> selected;
  for (std::uint32_t i = 0; i < structure.iterations.size(); ++i) {
    const IterationSpan& span = structure.iterations[i];
    if (options.iterations && (i < options.iterations->first || i > options.iterations->second)) continue;
    if (options.from && span.start_ns < ns(*options.from)) continue;
    if (options.to && span.end_ns > ns(*options.to)) continue;
    selected.push_back(span);
  }
  return selected;
}

void describe_iterations(const std::vector<IterationSpan>& iterations, IterationsFoundBy found_by,
                         run::IterationSummary& out) {
  if (iterations.size() <= out.count) return;
  out.count = iterations.size();
  out.found_by = found_by == IterationsFoundBy::marks    ? "marks"
                 : found_by == IterationsFoundBy::period ? "period"
                                                         : "none";
  std::vector<double> step;
  for (std::size_t i = 1; i < iterations.size(); ++i)
    step.push_back(static_cast<double>(iterations[i].start_ns - iterations[i - 1].start_ns) * 1e-9);
  if (step.empty()) {
    out.period_s = static_cast<double>(iterations[0].end_ns - iterations[0].start_ns) * 1e-9;
    return;
  }
  const auto middle = step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2);
  std::nth_element(step.begin(), middle, step.end());
  out.period_s = *middle;
}

/// One trace after the other; the joules end in `run`.
class Attributor {
 public:
  Attributor(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
             const AttributeOptions& options, run::Run& run)
      : traces_(traces), logged_(logged), options_(options), run_(run) {}

  Status add(const std::vector<TracedGpu>& gpus) {
    run_.attribution.iterations.found_by = "none";
    std::vector<ProgramStructure> structures;
    structures.reserve(traces_.size());
    for (const run::Trace& trace : traces_) structures.push_back(analyse_structure(trace, run_.quality));
    const CollectiveWaits waits = find_waits(traces_, structures, run_.quality);
    for (std::uint32_t t = 0; t < traces_.size(); ++t) {
      const run::Trace& trace = traces_[t];
      const ProgramStructure& structure = structures[t];
      const CommunicationOverlap overlap = communication_overlap(trace, structure.class_category, waits.of_trace[t]);
      run_.attribution.traces.push_back(summarise(trace, overlap));
      describe_iterations(selected_iterations(trace, structure, options_), structure.iterations_found_by,
                          run_.attribution.iterations);
      const TracedProgram program{trace, structure, overlap};
      for (const TracedGpu& gpu : gpus)
        if (gpu.trace == t) KERNWATT_CHECK(add_gpu(program, gpu));
    }
    run_.attribution.total = sum_accounts(run_.attribution.gpus);
    if (run_.attribution.gpus.size() > 1) share_of_all();
    mean_.finish(run_.attribution.iterations, options_.tokens_per_iteration);
    return {};
  }

 private:
  /// With several GPUs a row's share is of all their energy (of all their busy time, when there is none).
  void share_of_all() {
    double busy_s = 0;
    for (const run::Row& row : run_.attribution.rows)
      if (row.view == run::View::kernel_class) busy_s += row.time_s;
    const std::optional<double>& total_j = run_.attribution.total.total_j;
    for (run::Row& row : run_.attribution.rows) {
      if (!row.share_of_total) continue;
      if (total_j && row.energy_j && *total_j > 0) row.share_of_total = *row.energy_j / *total_j;
      if (!total_j && busy_s > 0) row.share_of_total = row.time_s / busy_s;
    }
  }

  Status add_gpu(const TracedProgram& program, const TracedGpu& gpu) {
    const LoggedGpu* logged = gpu.logged == run::none ? nullptr : &logged_[gpu.logged];
    if (logged == nullptr && !logged_.empty())
      run_.quality.add("join.gpu-without-log", Severity::warning,
                       "a GPU of the traces is in no log: it has times but no energy");
    KERNWATT_TRY(const GpuEnergy energy, measure_gpu(program, gpu, logged, options_, run_.quality));
    const auto first_row = static_cast<std::uint32_t>(run_.attribution.rows.size());
    const int number = static_cast<int>(run_.attribution.gpus.size());
    run_.attribution.gpus.push_back(account_of(energy));
    run_.devices.push_back(identity(program, gpu, logged));
    add_rows(energy, program, number, run_.attribution);
    mean_.add(add_iteration_rows(energy, program, number, run_.attribution));
    add_breakdown(energy, program, first_row, run_.attribution);
    add_facts(energy, program, first_row, run_);
    doubt_unattributed(energy);
    return {};
  }

  static run::GpuIdentity identity(const TracedProgram& program, const TracedGpu& gpu, const LoggedGpu* logged) {
    run::GpuIdentity id = program.trace.gpus[gpu.gpu];
    if (logged == nullptr) return id;
    complete(id, logged->power.gpu);
    return id;
  }

  void doubt_unattributed(const GpuEnergy& energy) {
    constexpr double much = 0.05;
    if (!energy.fit || *energy.total_j <= 0) return;
    const double part = energy.unattributed_j() / *energy.total_j;
    if (std::abs(part) > much)
      run_.quality.add(
          "energy.unattributed", Severity::warning,
          fmt::format("{:.1f} % of the energy of {} fits neither launches nor idle: untraced work, a clock that "
                      "differs, or a sensor fault",
                      100 * part, energy.name));
  }

  const std::vector<run::Trace>& traces_;
  const std::vector<LoggedGpu>& logged_;
  const AttributeOptions& options_;
  run::Run& run_;
  IterationMean mean_;
};

void note_doubts(const run::Run& run, QualityLedger& quality) {
  std::size_t tied = 0;
  for (const run::TiedGroup& group : run.attribution.tied) tied += group.rows.size();
  if (tied > 0)
    quality.add(
        "energy.tied-classes", Severity::info,
        "classes that the readings cannot tell apart (they always run in the same proportion); each carries a flag "
        "tied:N and the sum of each group is given",
        tied);
  const bool any_energy = std::any_of(run.attribution.gpus.begin(), run.attribution.gpus.end(),
                                      [](const run::EnergyAccount& a) { return a.total_j.has_value(); });
  if (!any_energy && run.power.empty())
    quality.add("energy.no-power-log", Severity::info, "no power log was given: times only; energy is not invented");
}

}  // namespace

Result<run::Run> attribute(std::vector<run::Trace> traces, std::vector<run::PowerLog> logs,
                           const AttributeOptions& options) {
  run::Run run;
  for (run::Trace& trace : traces) {
    set_aside_strays(trace);
    run.quality.merge(trace.quality);
    if (trace.launches.empty() && !trace.quality.contains("trace.no-kernels"))
      return Error{ErrorCode::bad_data, "no launch has a believable time", trace.file};
  }
  for (const run::PowerLog& log : logs) run.quality.merge(log.quality);
  KERNWATT_CHECK(align_logs(traces, logs, options, run.quality));
  const std::vector<LoggedGpu> logged = merge_logs(logs, run.quality, options.gpu_map);
  KERNWATT_TRY(const std::vector<TracedGpu> gpus, join_gpus(traces, logged, options, run.quality));
  run.power = std::move(logs);
  KERNWATT_CHECK(Attributor(traces, logged, options, run).add(gpus));
  note_doubts(run, run.quality);
  if (options.keep_launches) run.traces = std::move(traces);
  return run;
}

}  // namespace kernwatt::attribution
