// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/sample_run.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

namespace kernwatt::report {
namespace {

using namespace std::string_literals;

constexpr std::int64_t start_ns = 1'772'366'400'000'000'000;  // 2026-03-01 12:00:00 UTC

std::string elementwise(const std::string& functor) {
  return "void at::native::vectorized_elementwise_kernel<4, at::native::" + functor +
         ", std::array<char*, 3ul> >(int, at::native::" + functor + ", std::array<char*, 3ul>)";
}

std::string flash_attention(int head_dim) {
  const std::string traits = "Flash_fwd_kernel_traits<" + std::to_string(head_dim) +
                             ", 128, 64, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<" +
                             std::to_string(head_dim) + ", 128, 64, 4, cutlass::bfloat16_t> >";
  return "void pytorch_flash::flash_fwd_kernel<pytorch_flash::" + traits +
         ", false, true, false, false, false, true, false, false>(pytorch_flash::Flash_fwd_params)";
}

struct ClassSample {
  std::string name;
  std::uint64_t launches;
  double time_s;
  double power_w;
  double relative_half;
  std::vector<std::string> flags;
  std::string detail = {};
};

std::vector<ClassSample> class_samples() {
  return {
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT", 4608, 3.4123, 691.2, 0.012, {"power-capped"}},
      {flash_attention(128), 1368, 1.912, 655.4, 0.021, {"power-capped", "tied:1"}},
      {flash_attention(64), 1368, 0.912, 612.9, 0.18, {"tied:1"}},
      {elementwise("CUDAFunctor_add<c10::BFloat16>"), 9120, 0.8123, 512.1, 0.03, {}},
      {elementwise("BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                   "at::native::binary_internal::MulFunctor<float> >"),
       9121,
       0.7123,
       508.8,
       0.031,
       {}},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, "
       "c10::BFloat16 const*)",
       2736,
       0.412,
       431.4,
       0.04,
       {}},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       57,
       0.301,
       251.0,
       0.09,
       {"exposed"}},
      {"Memcpy HtoD (Pinned -> Device)", 114, 0.0123, 181.0, 0.4, {}},
      {"triton_poi_fused_中文核_0", 57, 0.004, 300.0, 0.05, {"guessed"}},
      {"kernel with \"quotes\", commas\nand\ttabs\x01 \0 NUL \xff bytes \xe2\x80\xaeoverride"s,
       3,
       0.0002,
       250.0,
       0.5,
       {}},
      {"Memset (Device)", 57, 57e-6, 200.0, 2.0, {"tiny"}},
      {std::string(400, 'x'), 1, 1e-6, 400.0, 0.2, {}},
      {std::string(399, 'x') + "y", 1, 0.9e-6, 400.0, 0.2, {}},
      {"same_name_twice", 1, 0.8e-6, 400.0, 0.2, {}},
      {"same_name_twice", 1, 0.7e-6, 400.0, 0.2, {}},
      {"nvjet_tst_128x8", 1, 0.6e-6, 400.0, 0.2, {}, "grid 2x66x1, block 384x1x1"},
      {"nvjet_tst_128x8", 1, 0.5e-6, 400.0, 0.2, {}, "grid 4x33x1, block 384x1x1"},
  };
}

run::Row row_of(const ClassSample& sample, std::uint32_t id, double total_j) {
  run::Row row;
  row.id = id;
  row.gpu = 0;
  row.name = sample.name;
  row.launches = sample.launches;
  row.time_s = sample.time_s;
  row.energy_j = sample.time_s * sample.power_w;
  const double half = *row.energy_j * sample.relative_half;
  row.energy_ci95_j = run::Interval{*row.energy_j - half, *row.energy_j + half};
  row.power_w = sample.power_w;
  row.power_ci95_w =
      run::Interval{sample.power_w * (1 - sample.relative_half), sample.power_w * (1 + sample.relative_half)};
  row.power_at_reference_w = sample.power_w * 1.06;
  row.power_at_reference_ci95_w = run::Interval{sample.power_w * 1.02, sample.power_w * 1.1};
  row.share_of_total = *row.energy_j / total_j;
  row.flags = sample.flags;
  row.detail = sample.detail;
  return row;
}

void add_class_rows(run::Attribution& result) {
  for (const ClassSample& sample : class_samples())
    result.rows.push_back(row_of(sample, static_cast<std::uint32_t>(result.rows.size()), *result.total.total_j));
  result.rows[0].flops = 2.2e15;
  result.rows[0].j_per_flop = *result.rows[0].energy_j / *result.rows[0].flops;
  result.tied.push_back({1, {1, 2}, *result.rows[1].energy_j + *result.rows[2].energy_j, {1770.0, 1860.0}});
  for (const std::uint32_t id : {0U, 1U, 3U, 10U})
    result.explanations.push_back(
        {id, result.rows[id].time_s * 560.0,
         "Its power was fitted from 1204 windows together with 14 other classes; its launches fill 27.9 % of them "
         "and its clock was followed from their durations (1490 to 1590 MHz)."});
}

void add_row(run::Attribution& result, run::View view, std::string name, double energy_j, double time_s,
             std::vector<std::string> flags = {}) {
  ClassSample sample{std::move(name), flags.empty() ? 912U : 0U, time_s, energy_j / time_s, 0.02, std::move(flags)};
  run::Row row = row_of(sample, static_cast<std::uint32_t>(result.rows.size()), *result.total.total_j);
  row.view = view;
  result.rows.push_back(std::move(row));
}

void add_other_views(run::Attribution& result) {
  using enum run::View;
  const double attributed = *result.total.attributed_j;
  for (const auto& [name, share] : {std::pair{"forward", 0.31}, {"backward", 0.58}, {"optimizer", 0.11}})
    add_row(result, phase, name, attributed * share, 8.5 * share);
  add_row(result, phase, "execution-idle", *result.total.idle_j, 2.46, {"idle"});
  add_row(result, phase, "unattributed", *result.total.unattributed_j, 12.0, {"unattributed"});
  add_row(result, category, "matrix product", attributed * 0.7, 5.9);
  add_row(result, category, "attention", attributed * 0.3, 2.6);
  add_row(result, operator_, "aten::addmm", attributed, 8.5);
  for (int i = 0; i < 30; ++i) add_row(result, layer, "model.layers." + std::to_string(i), attributed / 30, 8.5 / 30);
  for (int i = 0; i < 3; ++i) add_row(result, iteration, "ProfilerStep#" + std::to_string(i), attributed / 3, 8.5 / 3);
}

/// All of it by one operator; each class in one of the phases and layers.
void add_cells(run::Attribution& result) {
  const auto first_of = [&](run::View view) {
    std::uint32_t id = 0;
    while (result.rows[id].view != view) ++id;
    return id;
  };
  const std::uint32_t classes = first_of(run::View::phase);
  for (std::uint32_t id = 0; id < classes; ++id) {
    const run::Row& row = result.rows[id];
    result.breakdown.cells.push_back({id, first_of(run::View::operator_), first_of(run::View::layer) + id % 3,
                                      first_of(run::View::phase) + id % 2, static_cast<double>(row.launches),
                                      row.time_s, *row.energy_j, row.time_s, row.flops.value_or(0)});
  }
}

run::Attribution sample_attribution() {
  run::Attribution result;
  double attributed = 0;
  for (const ClassSample& sample : class_samples()) attributed += sample.time_s * sample.power_w;
  result.traces.push_back({"train_gpt3_1p3b.trace.json.gz",
                           "kineto",
                           0,
                           {0},
                           28'611,
                           14,
                           8'577'000'000,
                           8'500'000'000,
                           114,
                           57,
                           301'000'000,
                           120'000'000,
                           start_ns,
                           start_ns + 12'345'678'901});
  result.power.push_back({"train.power.csv", "power-csv", "GPU-af7b1c2d-0000-1111-2222-333344445555", 1204, 12,
                          start_ns - 1'000'000'000, start_ns + 13'000'000'000, 5731.2, 5744.812, 0.1});
  run::EnergyAccount& total = result.total;
  total = {"",
           "counter+samples",
           start_ns,
           start_ns + 12'345'678'901,
           attributed + 312.25 - 17.5,
           attributed,
           312.25,
           -17.5,
           13.0,
           3.5,
           127.25,
           run::Interval{125.1, 129.5},
           1980.0};
  result.gpus.push_back(total);
  result.gpus[0].gpu = "GPU-af7b1c2d-0000-1111-2222-333344445555";
  result.iterations = {57, "marks", 0.2145, 96.31, run::Interval{94.9, 97.7}, 85.06};
  add_class_rows(result);
  add_other_views(result);
  add_cells(result);
  return result;
}

void add_quality(QualityLedger& quality) {
  quality.add("trace.layers-by-order", Severity::info, "Layers were found by their order: the trace names no modules.");
  quality.add("attribution.tied", Severity::warning,
              "2 classes run in the same order in every iteration, so that their powers cannot be told apart; their "
              "sum is given. A recording with varied batch sizes would separate them.",
              2);
  quality.add("power.gap", Severity::warning, "The log has a gap of 0.8 s.");
  quality.add("trace.torn", Severity::error,
              "train.trace.json.gz ends in the middle of an event\x1b[31m; 12 were lost.", 12);
}

}  // namespace

run::Run sample_run() {
  run::Run run;
  run.tool_version = "0.1.0";
  run.command_line = "kernwatt attribute train.trace.json.gz --power train.power.csv";
  run.created_ns = start_ns + 60'000'000'000;
  run.attribution = sample_attribution();
  add_quality(run.quality);
  return run;
}

run::Run sample_run_without_energy() {
  run::Run run = sample_run();
  run::Attribution& result = run.attribution;
  result.power.clear();
  result.tied.clear();
  result.explanations.clear();
  result.total = {};
  result.total.source = "none";
  result.gpus.assign(1, result.total);
  result.iterations.energy_j.reset();
  result.iterations.energy_ci95_j.reset();
  result.iterations.tokens_per_joule.reset();
  std::erase_if(result.rows, [](const run::Row& row) { return row.name == "unattributed"; });
  for (run::Cell& cell : result.breakdown.cells) cell.energy_j = std::numeric_limits<double>::quiet_NaN();
  for (run::Row& row : result.rows) {
    const run::Row measured = std::exchange(row, {});
    row.id = measured.id;
    row.view = measured.view;
    row.gpu = measured.gpu;
    row.name = measured.name;
    row.launches = measured.launches;
    row.time_s = measured.time_s;
    row.share_of_total = measured.time_s / 8.577;
    if (measured.name == "execution-idle") row.flags = {"idle"};
  }
  return run;
}

}  // namespace kernwatt::report
