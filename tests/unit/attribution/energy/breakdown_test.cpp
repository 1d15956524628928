// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/readers/read.hpp"
#include "simulated_job.hpp"

namespace kernwatt::attribution {
namespace {

struct Sum {
  double launches = 0, time_s = 0, energy_j = 0;
};

/// Over the cells of each row, launches, time and energy must add up to the row's.
void expect_cells_are_the_rows(const run::Attribution& attribution) {
  std::map<std::uint32_t, Sum> sums;
  for (const run::Cell& cell : attribution.breakdown.cells)
    for (const std::uint32_t row : {cell.class_row, cell.operator_row, cell.layer_row, cell.phase_row}) {
      sums[row].launches += cell.launches;
      sums[row].time_s += cell.time_s;
      if (!std::isnan(cell.energy_j)) sums[row].energy_j += cell.energy_j;
    }
  std::size_t crossed = 0;
  for (const run::Row& row : attribution.rows) {
    const bool has_cells = row.view != run::View::category && row.view != run::View::iteration && row.launches > 0;
    if (!has_cells) continue;
    ++crossed;
    ASSERT_EQ(sums.count(row.id), 1U) << to_string(row.view) << " " << row.name;
    EXPECT_NEAR(sums[row.id].launches, static_cast<double>(row.launches), 0.51) << row.name;
    EXPECT_NEAR(sums[row.id].time_s, row.time_s, 1e-9 + 1e-9 * row.time_s) << row.name;
    const double energy_j = row.energy_j.value_or(0);
    EXPECT_NEAR(sums[row.id].energy_j, energy_j, 1e-6 + 1e-9 * energy_j) << row.name;
  }
  EXPECT_GT(crossed, 0U);
}

TEST(Breakdown, CellsOfASimulatedJobAddUpToItsRows) {
  SimulatedJob job = JobSimulator(four_kernels(), 120, 3).steps(40, {0, 1, 0, 2, 3});
  std::vector<run::Trace> traces;
  traces.push_back(std::move(job.trace));
  const Result<run::Run> run = attribute(std::move(traces), {job.log}, {});
  ASSERT_TRUE(run) << run.error().text();
  expect_cells_are_the_rows(run->attribution);
  for (const run::Cell& cell : run->attribution.breakdown.cells) EXPECT_GE(cell.measured_s, 0);
}

TEST(Breakdown, IterationsHaveTheirStretchesAndPhasesLieInside) {
  SimulatedJob job = JobSimulator(four_kernels(), 120, 3).steps(40, {0, 1, 0, 2, 3});
  std::vector<run::Trace> traces;
  traces.push_back(std::move(job.trace));
  const Result<run::Run> run = attribute(std::move(traces), {job.log}, {});
  ASSERT_TRUE(run) << run.error().text();
  std::map<std::uint32_t, const run::Row*> row;
  for (const run::Row& one : run->attribution.rows) row[one.id] = &one;
  std::size_t iterations = 0;
  std::int64_t last_ns = 0;
  for (const run::RowSpan& span : run->attribution.breakdown.spans) {
    ASSERT_EQ(row.count(span.row), 1U);
    EXPECT_LE(span.start_ns, span.end_ns);
    if (row[span.row]->view != run::View::iteration) continue;
    ++iterations;
    EXPECT_GE(span.start_ns, last_ns) << "in their order";
    last_ns = span.start_ns;
  }
  EXPECT_EQ(iterations, 40U);
}

TEST(Breakdown, CellsOfARecordingAddUpToItsRows) {
  const std::string base = std::string(KERNWATT_SOURCE_DIR) + "/examples/train_gpt_h200/train_gpt";
  Result<run::Trace> trace = readers::read_trace(base + ".trace.json.gz", {});
  Result<run::PowerLog> log = readers::read_power_log(base + ".power.csv.gz", {});
  ASSERT_TRUE(trace && log);
  std::vector<run::Trace> traces;
  traces.push_back(std::move(*trace));
  const Result<run::Run> run = attribute(std::move(traces), {*log}, {});
  ASSERT_TRUE(run) << run.error().text();
  expect_cells_are_the_rows(run->attribution);
  // Names of the phases are those of the rows that the spans are of.
  const auto has_span = [&](const std::string& phase) {
    return std::any_of(run->attribution.breakdown.spans.begin(), run->attribution.breakdown.spans.end(),
                       [&](const run::RowSpan& span) {
                         const auto& rows = run->attribution.rows;
                         const auto found =
                             std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.id == span.row; });
                         return found->name == phase;
                       });
  };
  for (const char* phase : {"forward", "backward", "optimizer"}) EXPECT_TRUE(has_span(phase)) << phase;
}

}  // namespace
}  // namespace kernwatt::attribution
