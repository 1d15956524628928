// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/run/random_run.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace kernwatt::run {
namespace {

class Chance {
 public:
  explicit Chance(std::uint32_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : engine_() % limit; }
  bool maybe() { return below(3) != 0; }
  std::int64_t integer() {
    constexpr std::int64_t extremes[] = {0, -1, std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min(), 1'772'366'400'000'000'001};
    return maybe() ? static_cast<std::int64_t>(below(1'000'000)) : extremes[below(5)];
  }
  double real() {
    constexpr double extremes[] = {0.0, 1e-300, -1e300, 0.1, 3.0, std::numeric_limits<double>::infinity()};
    return maybe() ? static_cast<double>(engine_()) / 1e17 : extremes[below(6)];
  }
  std::string text() {
    static const std::string pieces[] = {
        "gemm", "\"", ",", "\n", std::string(1, '\0'), "\xff", "中", "'; DROP TABLE run"};
    std::string text;
    for (std::uint64_t i = below(5); i > 0; --i) text += pieces[below(8)];
    return text;
  }
  std::uint32_t index(std::size_t size) {
    return size == 0 || below(5) == 0 ? none : static_cast<std::uint32_t>(below(size));
  }
  template <class T, class F>
  std::optional<T> optional(F make) {
    return maybe() ? std::optional<T>(static_cast<T>(make())) : std::nullopt;
  }
  std::optional<double> optional_real() {
    return optional<double>([&] { return real(); });
  }
  std::optional<std::uint32_t> optional_count() {
    return optional<std::uint32_t>([&] { return below(0x1'0000'0000); });
  }
  std::optional<Interval> optional_interval() {
    return maybe() ? std::optional(Interval{real(), real()}) : std::nullopt;
  }
  std::optional<Dim3> optional_dim() {
    if (!maybe()) return std::nullopt;
    return Dim3{static_cast<std::uint32_t>(below(65536)), 1, static_cast<std::uint32_t>(below(64))};
  }

 private:
  std::mt19937_64 engine_;
};

GpuIdentity random_gpu(Chance& chance) {
  return {chance.optional<int>([&] { return chance.below(8); }),
          chance.text(),
          chance.text(),
          chance.text(),
          chance.text(),
          chance.optional<int>([&] { return chance.below(200); })};
}

void fill(Chance& chance, QualityLedger& quality) {
  for (std::uint64_t i = chance.below(4); i > 0; --i)
    quality.add(chance.text(), static_cast<Severity>(chance.below(3)), chance.text(), chance.below(100));
}

template <class T>
void fill(Chance& chance, Series<T>& series) {
  for (std::uint64_t i = chance.below(20); i > 0; --i) {
    if constexpr (std::is_same_v<T, double>) {
      series.push(chance.integer(), chance.real());
    } else {
      series.push(chance.integer(), static_cast<T>(chance.integer()));
    }
  }
}

void fill_totals_and_clocks(Chance& chance, PowerLog& log) {
  for (std::uint64_t i = chance.below(3); i > 0; --i)
    log.totals.push_back({chance.text(), random_gpu(chance), chance.optional<int>([&] { return chance.below(8); }),
                          chance.optional<std::int64_t>([&] { return chance.integer(); }), chance.optional_real(),
                          chance.optional_real(), chance.optional_real()});
  for (std::uint64_t i = chance.below(3); i > 0; --i) {
    SupportedClocks& clocks = log.supported_clocks.emplace_back();
    clocks.gpu = random_gpu(chance);
    for (std::uint64_t k = chance.below(4); k > 0; --k) {
      clocks.memory.push_back({chance.real(), {}});
      for (std::uint64_t n = chance.below(9); n > 0; --n) clocks.memory.back().core_mhz.push_back(chance.real());
    }
  }
}

PowerLog random_log(Chance& chance) {
  PowerLog log;
  log.file = chance.text();
  log.format = chance.text();
  log.basis = static_cast<TimeBasis>(chance.below(2));
  fill(chance, log.quality);
  for (std::uint64_t i = chance.below(3); i > 0; --i) {
    GpuPower& gpu = log.gpus.emplace_back();
    gpu.gpu = random_gpu(chance);
    fill(chance, gpu.energy_mj);
    for (auto* series : {&gpu.power_instant_w, &gpu.power_average_w, &gpu.power_draw_w, &gpu.power_samples_w,
                         &gpu.sm_mhz, &gpu.mem_mhz, &gpu.temperature_c})
      fill(chance, *series);
    fill(chance, gpu.event_reasons);
    gpu.power_limit_w = chance.optional_real();
    gpu.rows = chance.below(100);
    gpu.missing_power = chance.below(100);
    for (std::uint64_t k = chance.below(3); k > 0; --k) gpu.missing_tokens.push_back({chance.text(), chance.below(9)});
  }
  fill_totals_and_clocks(chance, log);
  return log;
}

void fill_structure(Chance& chance, Run& run) {
  for (std::uint64_t i = chance.below(6); i > 0; --i)
    run.classes.push_back({chance.text(), static_cast<LaunchKind>(chance.below(3)), chance.optional_dim(),
                           chance.optional_dim(), chance.optional_count(), chance.optional_count(), chance.text(),
                           chance.optional_real(), chance.index(9)});
  const std::size_t classes = run.classes.size();
  CanonicalIteration& iteration = run.iteration;
  iteration.period_ns = chance.integer();
  iteration.observed = chance.below(100);
  for (std::uint64_t i = chance.below(4); i > 0; --i) iteration.layers.push_back(chance.text());
  for (std::uint64_t i = chance.below(4); i > 0; --i) iteration.phases.push_back(chance.text());
  for (std::uint64_t i = chance.below(30); i > 0; --i)
    iteration.launches.push_back({chance.index(classes), static_cast<std::uint32_t>(chance.below(9)),
                                  chance.index(iteration.layers.size()), chance.index(iteration.phases.size()),
                                  chance.integer(), chance.integer()});
  for (std::uint64_t i = chance.below(6); i > 0; --i)
    run.observations.push_back({chance.index(classes),
                                {chance.optional_real(), chance.optional_real(), chance.optional_real()},
                                chance.below(99),
                                chance.real(),
                                chance.real(),
                                chance.optional_real(),
                                chance.optional_real()});
  for (std::uint32_t i = 0; i < classes; ++i) run.covariance.class_index.push_back(i);
  for (std::size_t i = 0; i < classes * classes; ++i) run.covariance.w2.push_back(chance.real());
}

EnergyAccount random_account(Chance& chance) {
  const auto time = [&] { return chance.optional<std::int64_t>([&] { return chance.integer(); }); };
  EnergyAccount account;
  account.gpu = chance.text();
  account.source = chance.text();
  account.start_ns = time();
  account.end_ns = time();
  for (auto* value : {&account.total_j, &account.attributed_j, &account.idle_j, &account.unattributed_j,
                      &account.lag_ms, &account.delay_ms, &account.execution_idle_w, &account.reference_mhz})
    *value = chance.optional_real();
  account.execution_idle_ci95_w = chance.optional_interval();
  return account;
}

void fill_rows(Chance& chance, Attribution& result) {
  const std::uint64_t rows = chance.below(12);
  for (std::uint32_t id = 0; id < rows; ++id) {
    Row& row = result.rows.emplace_back();
    row.id = id * 7;
    if (chance.maybe()) row.parent = static_cast<std::uint32_t>(chance.below(rows)) * 7;
    row.view = static_cast<View>(chance.below(6));
    if (!result.gpus.empty()) row.gpu = chance.optional<int>([&] { return chance.below(result.gpus.size()); });
    row.rank = chance.optional<int>([&] { return chance.below(64); });
    row.name = chance.text();
    row.detail = chance.text();
    row.launches = chance.below(1000);
    row.time_s = chance.real();
    for (auto* value :
         {&row.energy_j, &row.power_w, &row.power_at_reference_w, &row.share_of_total, &row.flops, &row.j_per_flop})
      *value = chance.optional_real();
    row.energy_ci95_j = chance.optional_interval();
    row.power_ci95_w = chance.optional_interval();
    row.power_at_reference_ci95_w = chance.optional_interval();
    if (chance.maybe()) row.flags = {"tied:3", "tiny"};
  }
  if (rows == 0) return;
  result.tied.push_back({3, {0}, chance.real(), {chance.real(), chance.real()}});
  result.explanations.push_back({0, chance.optional_real(), chance.text()});
  for (std::uint64_t i = chance.below(20); i > 0; --i)
    result.breakdown.cells.push_back(
        {0, 0, 0, 0, chance.real(), chance.real(), chance.real(), chance.real(), chance.real()});
  for (std::uint64_t i = chance.below(9); i > 0; --i)
    result.breakdown.spans.push_back({0, -static_cast<std::int64_t>(chance.below(9)), 5});
}

void fill(Chance& chance, Attribution& result) {
  for (std::uint64_t i = chance.below(3); i > 0; --i)
    result.traces.push_back({chance.text(), chance.text(), chance.optional<int>([&] { return chance.below(8); }),
                             std::vector<int>(chance.below(3), 5), chance.below(9), chance.below(9), chance.integer(),
                             chance.integer(), chance.below(9), chance.below(9), chance.integer(), chance.integer(),
                             chance.optional<std::int64_t>([&] { return chance.integer(); }),
                             chance.optional<std::int64_t>([&] { return chance.integer(); }), std::nullopt});
  for (std::uint64_t i = chance.below(3); i > 0; --i)
    result.power.push_back({chance.text(), chance.text(), chance.text(), chance.below(9), chance.below(9), std::nullopt,
                            chance.optional<std::int64_t>([&] { return chance.integer(); }), chance.optional_real(),
                            chance.optional_real(), chance.optional_real()});
  result.total = random_account(chance);
  for (std::uint64_t i = chance.below(3); i > 0; --i) result.gpus.push_back(random_account(chance));
  result.iterations = {chance.below(99),           chance.text(),
                       chance.optional_real(),     chance.optional_real(),
                       chance.optional_interval(), chance.optional_real()};
  fill_rows(chance, result);
}

Trace random_trace(Chance& chance) {
  Trace trace;
  trace.file = chance.text();
  trace.format = chance.text();
  trace.rank = chance.optional<int>([&] { return chance.below(8); });
  trace.world_size = chance.optional<int>([&] { return chance.below(8); });
  trace.time_is_absolute = chance.maybe();
  for (std::uint64_t i = chance.below(9); i > 0; --i) trace.names.intern(chance.text());
  const std::size_t names = trace.names.size();
  fill(chance, trace.quality);
  trace.gpus.push_back(random_gpu(chance));
  for (std::uint64_t i = chance.below(4); i > 0; --i) trace.streams.push_back({0, chance.index(names)});
  for (std::uint64_t i = chance.below(4); i > 0; --i)
    trace.classes.push_back({chance.index(names), static_cast<LaunchKind>(chance.below(3)), chance.optional_dim(),
                             chance.optional_dim(), chance.optional_count(), chance.optional_count()});
  for (std::uint64_t i = chance.below(4); i > 0; --i) {
    Site site;
    for (NameId* id : {&site.op, &site.outer_op, &site.shapes, &site.types}) *id = chance.index(names);
    for (std::uint64_t k = chance.below(3); k > 0 && names > 0; --k)
      site.ranges.push_back(static_cast<NameId>(chance.below(names)));
    site.on_backward_thread = chance.maybe();
    site.graph = chance.optional<std::int64_t>([&] { return chance.integer(); });
    trace.sites.push_back(site);
  }
  for (std::uint64_t i = chance.below(9); i > 0; --i)
    trace.calls.push_back({chance.index(trace.sites.size()), chance.integer()});
  for (std::uint64_t i = chance.below(3); i > 0; --i) trace.iteration_marks.push_back({chance.index(names), -5, 1000});
  for (std::uint64_t i = chance.below(3); i > 0; --i) trace.host_ranges.push_back({chance.index(names), 5, 5});
  for (std::uint64_t i = chance.below(50); i > 0; --i)
    trace.launches.push_back({static_cast<std::int64_t>(chance.below(1000)),
                              static_cast<std::int64_t>(chance.below(1000)), chance.index(trace.classes.size()),
                              chance.index(trace.streams.size()), chance.index(trace.calls.size()),
                              chance.index(trace.iteration_marks.size())});
  return trace;
}

}  // namespace

Run random_run(std::uint32_t seed) {
  Chance chance(seed);
  Run run;
  run.tool_version = chance.text();
  run.command_line = chance.text();
  run.created_ns = chance.integer();
  for (std::uint64_t i = chance.below(3); i > 0; --i) run.devices.push_back(random_gpu(chance));
  for (std::uint64_t i = chance.below(3); i > 0; --i) run.power.push_back(random_log(chance));
  fill_structure(chance, run);
  for (std::uint64_t i = chance.below(3); i > 0; --i) run.traces.push_back(random_trace(chance));
  fill(chance, run.attribution);
  fill(chance, run.quality);
  return run;
}

}  // namespace kernwatt::run
