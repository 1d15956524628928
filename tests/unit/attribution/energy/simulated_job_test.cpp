// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "simulated_job.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernwatt/attribution/attribute.hpp"

namespace kernwatt::attribution {
namespace {

run::Run run_job(SimulatedJob job, const AttributeOptions& options = {}) {
  std::vector<run::Trace> traces;
  traces.push_back(std::move(job.trace));
  Result<run::Run> run = attribute(std::move(traces), {job.log}, options);
  EXPECT_TRUE(run.has_value()) << (run.has_value() ? "" : run.error().text());
  return std::move(run).value();
}

double sum_of(const run::Attribution& a, run::View view) {
  double sum = 0;
  for (const run::Row& row : a.rows)
    if (row.view == view) sum += row.energy_j.value_or(0);
  return sum;
}

void expect_every_joule_once(const run::Attribution& a) {
  const double total = a.total.total_j.value();
  const double rest = a.total.idle_j.value() + a.total.unattributed_j.value();
  EXPECT_NEAR(a.total.attributed_j.value() + rest, total, 5e-4);
  for (const run::View view : {run::View::kernel_class, run::View::operator_, run::View::layer, run::View::category})
    EXPECT_NEAR(sum_of(a, view) + rest, total, 5e-4) << to_string(view);
  EXPECT_NEAR(sum_of(a, run::View::phase), total, 5e-4);
  EXPECT_NEAR(sum_of(a, run::View::iteration), total, 5e-4);
}

TEST(SimulatedJob, ClassPowersComeBackWithinTwoPercentAndInsideTheirIntervals) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const run::Run run = run_job(JobSimulator(four_kernels(), 125, seed).bursts(12));
    for (const SimulatedKernel& kernel : four_kernels()) {
      bool found = false;
      for (const run::Row& row : run.attribution.rows) {
        if (row.view != run::View::kernel_class || row.name != kernel.name) continue;
        found = true;
        EXPECT_NEAR(*row.power_w / kernel.watts, 1, 0.02) << kernel.name << " seed " << seed;
        EXPECT_LT(row.power_ci95_w->low, kernel.watts);
        EXPECT_GT(row.power_ci95_w->high, kernel.watts);
      }
      EXPECT_TRUE(found) << kernel.name;
    }
    EXPECT_NEAR(run.attribution.total.execution_idle_w.value(), 125, 3);
    expect_every_joule_once(run.attribution);
    EXPECT_LT(std::abs(*run.attribution.total.unattributed_j / *run.attribution.total.total_j), 0.01);
  }
}

TEST(SimulatedJob, IterationsHaveTheCountersEnergy) {
  const run::Run run = run_job(JobSimulator(four_kernels(), 125, 5).steps(60, std::vector<std::size_t>(400, 0)));
  EXPECT_EQ(run.attribution.iterations.count, 60U);
  EXPECT_EQ(run.attribution.iterations.found_by, "marks");
  const double truth_j = 400 * 301.2e-6 * 650;
  EXPECT_NEAR(run.attribution.iterations.energy_j.value() / truth_j, 1, 0.01);
  expect_every_joule_once(run.attribution);
}

TEST(SimulatedJob, ClassesInFixedProportionAreTiedAndTheirSumIsKnown) {
  std::vector<std::size_t> sequence;
  for (int i = 0; i < 100; ++i) sequence.insert(sequence.end(), {1, 2, 3});
  const run::Run run = run_job(JobSimulator(four_kernels(), 125, 6).steps(300, sequence));
  ASSERT_FALSE(run.attribution.tied.empty());
  const run::TiedGroup& group = run.attribution.tied.front();
  EXPECT_GE(group.rows.size(), 2U);
  double truth_j = 0;
  for (const std::size_t k : {1U, 2U, 3U})
    truth_j += 300 * 100 * (four_kernels()[k].duration_us + 1.2) * 1e-6 * four_kernels()[k].watts;
  double rest_j = 0;  // classes outside the group, when only two of the three are tied
  for (const run::Row& row : run.attribution.rows)
    if (row.view == run::View::kernel_class &&
        std::find(group.rows.begin(), group.rows.end(), row.id) == group.rows.end())
      rest_j += *row.energy_j;
  EXPECT_NEAR((group.energy_j + rest_j) / truth_j, 1, 0.02);
}

TEST(SimulatedJob, WithoutALogThereAreTimesAndNoEnergy) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 7).bursts(1);
  std::vector<run::Trace> traces;
  traces.push_back(std::move(job.trace));
  const run::Run run = attribute(std::move(traces), {}, {}).value();
  EXPECT_FALSE(run.attribution.total.total_j.has_value());
  for (const run::Row& row : run.attribution.rows) {
    EXPECT_FALSE(row.energy_j.has_value());
    EXPECT_FALSE(row.power_w.has_value());
  }
  EXPECT_TRUE(run.quality.contains("energy.no-power-log"));
}

TEST(SimulatedJob, AStretchOfItHasTheEnergyOfThatStretch) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 8).steps(60, std::vector<std::size_t>(400, 0));
  AttributeOptions options;
  options.iterations = {10, 19};
  const run::Run run = run_job(std::move(job), options);
  EXPECT_NEAR(run.attribution.total.total_j.value() / (10 * 400 * 301.2e-6 * 650), 1, 0.02);
  std::uint64_t launches = 0;
  for (const run::Row& row : run.attribution.rows)
    if (row.view == run::View::kernel_class) launches += row.launches;
  EXPECT_NEAR(static_cast<double>(launches), 4000, 2);
  expect_every_joule_once(run.attribution);
}

TEST(SimulatedJob, ALaunchThatASliceCutsCountsWithThePartInside) {
  double sum_j = 0;
  const auto slice = [](double from_ms, double to_ms) {
    SimulatedJob job = JobSimulator(four_kernels(), 125, 8).steps(40, std::vector<std::size_t>(400, 0));
    AttributeOptions options;
    options.from = TimePoint{true, static_cast<std::int64_t>(from_ms * 1e6)};
    options.to = TimePoint{true, static_cast<std::int64_t>(to_ms * 1e6)};
    return run_job(std::move(job), options).attribution;
  };
  const run::Attribution thin = slice(1000, 1000.1);  // a third of one kernel
  EXPECT_NEAR(*thin.total.attributed_j / 0.065, 1, 0.05);
  for (int i = 0; i < 4; ++i) sum_j += *slice(1000 + 0.7 * i, 1000.7 + 0.7 * i).total.attributed_j;
  EXPECT_NEAR(sum_j, *slice(1000, 1002.8).total.attributed_j, 1e-4);
}

TEST(SimulatedJob, IterationsThatDoNotExistAreRefused) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 8).steps(5, std::vector<std::size_t>(400, 0));
  AttributeOptions options;
  options.iterations = {3, 9};
  std::vector<run::Trace> traces;
  traces.push_back(std::move(job.trace));
  const auto run = attribute(std::move(traces), {job.log}, options);
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().code, ErrorCode::invalid_argument);
}

TEST(SimulatedJob, ALogOfAnotherDayGivesNoEnergyAndSaysSo) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 9).bursts(1);
  for (run::Launch& l : job.trace.launches) l.start_ns += 40LL * 24 * 3600 * 1'000'000'000;
  const run::Run run = run_job(std::move(job));
  EXPECT_TRUE(run.quality.contains("time.no-overlap"));
  EXPECT_FALSE(run.attribution.total.total_j.has_value());
}

TEST(SimulatedJob, ALogInLocalTimeIsFoundByItsWholeHoursAndNamed) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 10).bursts(4);
  for (auto* series : {&job.log.gpus[0].power_samples_w, &job.log.gpus[0].sm_mhz})
    for (std::int64_t& t : series->time_ns) t -= 4LL * 3600 * 1'000'000'000;
  for (std::int64_t& t : job.log.gpus[0].energy_mj.time_ns) t -= 4LL * 3600 * 1'000'000'000;
  job.log.basis = run::TimeBasis::local_unknown;
  const run::Run run = run_job(std::move(job));
  EXPECT_TRUE(run.quality.contains("time.whole-hours"));
  EXPECT_TRUE(run.attribution.total.total_j.has_value());
}

TEST(SimulatedJob, ATraceBesideTheLogsClockIsMovedAndTheUserIsTold) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 11).bursts(8);
  for (run::Launch& l : job.trace.launches) l.start_ns += 60'000'000;
  const run::Run run = run_job(std::move(job));
  EXPECT_TRUE(run.quality.contains("time.shifted"));
  for (const run::Row& row : run.attribution.rows)
    if (row.view == run::View::kernel_class && row.name == "fill_kernel") {
      EXPECT_NEAR(*row.power_w / 350, 1, 0.06);
    }
}

TEST(SimulatedJob, TilingLaysTheTraceOverTheSteadyLogAndMarksIt) {
  SimulatedJob job = JobSimulator(four_kernels(), 125, 12).steps(60, std::vector<std::size_t>(400, 0));
  const auto begin = job.trace.launches.begin();
  job.trace.launches = std::vector<run::Launch>(begin + 400 * 20, begin + 400 * 28);
  AttributeOptions options;
  options.tile = true;
  const double whole_j = 60 * 400 * 301.2e-6 * 650;
  const run::Run run = run_job(std::move(job), options);
  EXPECT_TRUE(run.quality.contains("energy.tiled"));
  EXPECT_NEAR(*run.attribution.total.total_j / whole_j, 1, 0.15);
  for (const run::Row& row : run.attribution.rows)
    if (row.view == run::View::kernel_class) {
      EXPECT_EQ(row.flags.back(), "tiled");
    }
}

}  // namespace
}  // namespace kernwatt::attribution
