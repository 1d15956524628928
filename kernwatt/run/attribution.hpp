// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/run/breakdown.hpp"

/// What the attribution found: plain data that the reports print and the Run keeps (docs/json.md names each field).
/// Whatever was not measured is empty, never 0.
namespace kernwatt::run {

/// The ways to cut the same energy.
enum class View : std::uint8_t { kernel_class, operator_, layer, phase, category, iteration };
inline constexpr std::array all_views{View::kernel_class, View::operator_, View::layer,
                                      View::phase,        View::category,  View::iteration};
/// "class", "operator", "layer", "phase", "category", "iteration"
std::string_view to_string(View view);
std::optional<View> view_from_string(std::string_view text);

struct Interval {
  double low = 0;
  double high = 0;
};

/// One line of a view. In the views class, operator, layer and category the rows add up to attributed_j; in the
/// views phase and iteration, which have rows for idle and unattributed energy too, to total_j.
struct Row {
  std::uint32_t id = 0;                 ///< unique in the attribution
  std::optional<std::uint32_t> parent;  ///< id of the row that this one is a part of
  View view = View::kernel_class;
  std::optional<int> gpu;  ///< position in Attribution::gpus; empty when summed over several
  std::optional<int> rank;
  std::string name;
  std::string detail;  ///< what tells rows of one name apart: "grid 2x66x1, block 384x1x1"; may be empty
  std::uint64_t launches = 0;
  double time_s = 0;  ///< time on the device, launches that overlap counted each
  std::optional<double> energy_j;
  std::optional<Interval> energy_ci95_j;
  std::optional<double> power_w;  ///< mean while it ran, at the clocks of the run
  std::optional<Interval> power_ci95_w;
  std::optional<Interval> power_at_reference_ci95_w;
  std::optional<double> power_at_reference_w;  ///< at the card's highest clock: to compare classes and runs
  std::optional<double> share_of_total;        ///< of total_j (of the busy time, when there is no energy)
  std::optional<double> flops;                 ///< summed over the launches
  std::optional<double> j_per_flop;
  std::vector<std::string> flags;  ///< "tied:3", "power-capped", "exposed", "tiled", "tiny" (docs/json.md)
};

struct TraceSummary {
  std::string file;
  std::string format;
  std::optional<int> rank;
  std::vector<int> gpus;  ///< device numbers as the trace counts them
  std::uint64_t kernels = 0;
  std::uint64_t distinct_names = 0;
  std::int64_t busy_sum_ns = 0;    ///< kernels' durations, summed
  std::int64_t busy_union_ns = 0;  ///< time in which at least one kernel ran, summed over the GPUs
  std::uint64_t memcpy_count = 0;
  std::uint64_t memset_count = 0;
  std::int64_t comm_ns = 0;                          ///< durations of collectives, summed
  std::int64_t comm_overlapped_ns = 0;               ///< of that, under other kernels
  std::optional<std::int64_t> start_ns;              ///< first launch's start; empty without launches
  std::optional<std::int64_t> end_ns;                ///< last end
  std::optional<std::int64_t> comm_waiting_ns = {};  ///< of comm_ns, before the last rank came; empty without others
};

struct PowerSummary {
  std::string file;
  std::string format;
  std::string gpu;  ///< UUID, PCI bus id or index: the best name that the log has
  std::uint64_t samples = 0;
  std::uint64_t missing = 0;
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> end_ns;
  std::optional<double> energy_j;          ///< integral of power over the log
  std::optional<double> energy_counter_j;  ///< counter's difference over the log
  std::optional<double> max_gap_s;
};

/// One GPU's energy, or all GPUs' together. total = attributed + idle + unattributed, to the millijoule.
struct EnergyAccount {
  std::string gpu;                       ///< empty for the sum over all
  std::string source;                    ///< "counter", "power", "mixed", "none", with what docs/json.md adds
  std::optional<std::int64_t> start_ns;  ///< the window that was accounted for
  std::optional<std::int64_t> end_ns;
  std::optional<double> total_j;
  std::optional<double> attributed_j;
  std::optional<double> idle_j;
  std::optional<double> unattributed_j;  ///< may be negative
  std::optional<double> lag_ms;          ///< fitted lag of the power readings (first-order time constant, or window)
  std::optional<double> delay_ms;        ///< fitted delay of the power readings against the trace
  std::optional<double> execution_idle_w;
  std::optional<Interval> execution_idle_ci95_w;
  std::optional<double> reference_mhz;  ///< the clock of power_at_reference_w
};

struct IterationSummary {
  std::uint64_t count = 0;
  std::string found_by;  ///< "marks", "period", "none"
  std::optional<double> period_s;
  std::optional<double> energy_j;  ///< mean of one iteration
  std::optional<Interval> energy_ci95_j;
  std::optional<double> tokens_per_joule;
};

/// A group of classes whose powers the data cannot tell apart: only their sum is known.
struct TiedGroup {
  std::uint32_t id = 0;  ///< the number in the flag "tied:<id>"
  std::vector<std::uint32_t> rows;
  double energy_j = 0;
  Interval energy_ci95_j;
};

/// What --explain prints beside a class row.
struct Explanation {
  std::uint32_t row = 0;
  std::optional<double> time_share_energy_j;  ///< mean power of the busy time x time share: what others report
  std::string how;                            ///< one sentence: how the figure came about
};

struct Attribution {
  std::vector<TraceSummary> traces;
  std::vector<PowerSummary> power;
  EnergyAccount total;
  std::vector<EnergyAccount> gpus;
  IterationSummary iterations;
  std::vector<Row> rows;
  std::vector<TiedGroup> tied;
  std::vector<Explanation> explanations;
  Breakdown breakdown;
};

}  // namespace kernwatt::run
