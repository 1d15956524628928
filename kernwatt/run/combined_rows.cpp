// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/combined_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace kernwatt::run {
namespace {

using Key = std::tuple<View, std::string, std::string>;

void add(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

/// Several rows on their way to become one.
class Combined {
 public:
  explicit Combined(const Row& first) : row_(first) {
    row_.gpu.reset();
    row_.rank.reset();
    row_.parent.reset();
    std::erase_if(row_.flags, [](const std::string& flag) { return flag.starts_with("tied:"); });
    row_.launches = 0, row_.time_s = 0;
    row_.energy_j.reset(), row_.energy_ci95_j.reset();
    row_.power_w.reset(), row_.power_ci95_w.reset();
    row_.power_at_reference_w.reset(), row_.power_at_reference_ci95_w.reset();
    row_.share_of_total.reset(), row_.flops.reset(), row_.j_per_flop.reset();
  }

  void take(const Row& row) {
    row_.launches += row.launches;
    row_.time_s += row.time_s;
    add(row_.energy_j, row.energy_j);
    add(row_.share_of_total, row.share_of_total);
    all_have_energy_ = all_have_energy_ && row.energy_j.has_value();
    all_have_flops_ = all_have_flops_ && row.flops.has_value();
    flops_ += row.flops.value_or(0);
    if (row.energy_j) half_j_ += half(row.energy_ci95_j);
    has_interval_ = has_interval_ || row.energy_ci95_j.has_value();
    mean(row.power_w, row.power_ci95_w, row.time_s, power_);
    mean(row.power_at_reference_w, row.power_at_reference_ci95_w, row.time_s, at_reference_);
    std::erase_if(row_.flags, [&](const std::string& flag) {
      return std::find(row.flags.begin(), row.flags.end(), flag) == row.flags.end();
    });
  }

  Row finish() {
    if (row_.energy_j && has_interval_)
      row_.energy_ci95_j = Interval{*row_.energy_j - half_j_, *row_.energy_j + half_j_};
    if (all_have_flops_) row_.flops = flops_;
    if (row_.energy_j && all_have_energy_ && row_.flops && *row_.flops > 0)
      row_.j_per_flop = *row_.energy_j / *row_.flops;
    set(power_, row_.power_w, row_.power_ci95_w);
    set(at_reference_, row_.power_at_reference_w, row_.power_at_reference_ci95_w);
    if (row_.energy_j && !all_have_energy_) row_.flags.emplace_back("partial");
    return std::move(row_);
  }

 private:
  struct Mean {
    double weight_s = 0, watt_s = 0, half_watt_s = 0;
  };

  static double half(const std::optional<Interval>& interval) {
    return interval ? (interval->high - interval->low) / 2 : 0;
  }
  static void mean(const std::optional<double>& watts, const std::optional<Interval>& interval, double time_s,
                   Mean& into) {
    if (!watts || time_s <= 0) return;
    into.weight_s += time_s;
    into.watt_s += *watts * time_s;
    into.half_watt_s += half(interval) * time_s;
  }
  static void set(const Mean& mean, std::optional<double>& watts, std::optional<Interval>& interval) {
    if (mean.weight_s <= 0) return;
    watts = mean.watt_s / mean.weight_s;
    const double half = mean.half_watt_s / mean.weight_s;
    if (half > 0) interval = Interval{*watts - half, *watts + half};
  }

  Row row_;
  bool all_have_energy_ = true;
  bool all_have_flops_ = true;
  bool has_interval_ = false;
  double flops_ = 0;
  double half_j_ = 0;
  Mean power_, at_reference_;
};

}  // namespace

std::vector<Row> combined_rows(const Attribution& attribution) {
  if (attribution.gpus.size() < 2) return {};
  std::map<Key, std::size_t> place;
  std::vector<Combined> combined;
  for (const Row& row : attribution.rows) {
    const auto [at, added] = place.try_emplace(Key{row.view, row.name, row.detail}, combined.size());
    if (added) combined.emplace_back(row);
    combined[at->second].take(row);
  }
  std::vector<Row> rows;
  rows.reserve(combined.size());
  for (Combined& one : combined) rows.push_back(one.finish());
  return rows;
}

}  // namespace kernwatt::run
