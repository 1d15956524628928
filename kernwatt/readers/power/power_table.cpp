// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_table.hpp"

#include <algorithm>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

constexpr std::int64_t hour_ns = 3'600'000'000'000;
constexpr std::uint64_t most_clock_changes = 8;  // a log of several years
constexpr std::size_t most_gpus = 4096;
constexpr std::uint64_t most_in_group = 64;
const std::string overflow_key = "more";
constexpr double highest_clock_mhz = 1e5;

std::string_view cell_at(std::span<const std::string_view> cells, std::size_t i) {
  return i < cells.size() ? trim(cells[i]) : std::string_view{};
}

// "[N/A]", "N/A", "-": a cell that declines to name the GPU. A UUID of zeros has been made anonymous.
bool names_nothing(std::string_view cell) {
  if (cell.empty() || cell == "-" || cell == "N/A" || cell.front() == '[') return true;
  return cell.starts_with("GPU-") && cell.find_first_not_of("0-", 4) == std::string_view::npos;
}

run::Series<double>* series_of(run::GpuPower& power, ColumnRole role) {
  switch (role) {
    case power_draw:
      return &power.power_draw_w;
    case power_instant:
      return &power.power_instant_w;
    case power_average:
      return &power.power_average_w;
    case power_sample:
      return &power.power_samples_w;
    case sm_clock:
    case graphics_clock:
      return &power.sm_mhz;
    case memory_clock:
      return &power.mem_mhz;
    case temperature:
      return &power.temperature_c;
    default:
      return nullptr;
  }
}

}  // namespace

void PowerTable::bind(ColumnLayout layout) {
  layout_ = std::move(layout);
  // The core's own clock says more than the graphics clock; both in one series would mix two sensors.
  if (layout_.has(sm_clock)) {
    for (Column& column : layout_.columns) {
      if (column.role == graphics_clock) column.role = ignored;
    }
  }
  cells_had_unit_.assign(layout_.columns.size(), false);
  only_power_.clear();
  for (const Column& column : layout_.columns) {
    const auto same = std::count_if(layout_.columns.begin(), layout_.columns.end(), [&](const Column& other) {
      return is_power(other.role) && other.device == column.device;
    });
    only_power_.push_back(is_power(column.role) && same == 1);
  }
  devices_.clear();
  for (const Column& column : layout_.columns) {
    identified_ |= is_identity(column.role) && column.role != name;
    if (is_power(column.role)) power_unit_known_ |= column.unit_known;
    if (column.role == energy) energy_unit_known_ |= column.unit_known;
    if (column.device.empty() || column.role == ignored) continue;
    if (std::find(devices_.begin(), devices_.end(), column.device) == devices_.end()) devices_.push_back(column.device);
  }
  identified_ |= !devices_.empty();
}

std::optional<Timestamp> PowerTable::time_of(std::span<const std::string_view> cells) const {
  std::string_view date_cell;
  std::string_view clock_cell;
  std::optional<Timestamp> since_start;
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const Column& column = layout_.columns[i];
    if (column.role == time) {
      auto stamp = parse_timestamp(cell_at(cells, i), column.time_unit);
      if (stamp && column.utc && stamp->kind == TimeKind::civil) stamp->kind = TimeKind::absolute;
      return stamp;
    }
    if (column.role == date) date_cell = cell_at(cells, i);
    if (column.role == time_of_day) clock_cell = cell_at(cells, i);
    if (column.role == elapsed) {
      since_start = parse_timestamp(cell_at(cells, i), column.time_unit);
      if (since_start) since_start->kind = TimeKind::relative;
    }
  }
  if (date_cell.empty() || clock_cell.empty()) return since_start;
  return parse_timestamp(std::string(date_cell) + " " + std::string(clock_cell), TimeUnit::guess);
}

void PowerTable::note_time(const Timestamp& stamp) {
  time_facts_.absolute += stamp.kind == TimeKind::absolute ? 1U : 0U;
  time_facts_.civil += stamp.kind == TimeKind::civil ? 1U : 0U;
  time_facts_.relative += stamp.kind == TimeKind::relative ? 1U : 0U;
  time_facts_.day_first += stamp.day_order == DayOrder::day_first ? 1U : 0U;
  time_facts_.month_first += stamp.day_order == DayOrder::month_first ? 1U : 0U;
  time_facts_.undecidable += stamp.day_order == DayOrder::undecidable ? 1U : 0U;
}

GpuRows& PowerTable::gpu_by_key(const std::string& key) {
  // No machine has so many; a file of noise must not fill the memory with them.
  const std::string& allowed = gpus_.size() < most_gpus || index_of_key_.contains(key) ? key : overflow_key;
  const auto [found, inserted] = index_of_key_.try_emplace(allowed, gpus_.size());
  if (inserted) gpus_.emplace_back();
  return gpus_[found->second];
}

GpuRows& PowerTable::gpu_of(std::span<const std::string_view> cells, std::int64_t ns) {
  std::string best;
  int rank = 0;  // of the column that `best` is from: a UUID is surer than a bus address than a number
  std::string host_name;
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const ColumnRole role = layout_.columns[i].role;
    const std::string_view cell = is_identity(role) ? cell_at(cells, i) : std::string_view{};
    if (names_nothing(cell)) continue;
    const int worth = role == uuid ? 4 : role == pci_bus_id ? 3 : role == gpu ? 2 : role == index ? 1 : 0;
    if (role == host) host_name = cell;
    if (worth <= rank) continue;
    rank = worth;
    best = cell;
  }
  if (rank > 0 || identified_) return gpu_by_key(host_name.empty() ? best : host_name + "|" + best);
  group_size_ = group_ns_ == ns ? group_size_ + 1 : 1;
  if (group_ns_ != ns) ++group_sizes_[1];
  if (group_size_ > 1) {
    --group_sizes_[group_size_ - 1];
    ++group_sizes_[group_size_];
  }
  group_ns_ = ns;
  if (group_size_ > most_in_group) return gpu_by_key("#1");
  return gpu_by_key("#" + std::to_string(group_size_));
}

void PowerTable::identify(std::span<const std::string_view> cells, run::GpuIdentity& gpu) const {
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const ColumnRole role = layout_.columns[i].role;
    const std::string_view cell = is_identity(role) ? cell_at(cells, i) : std::string_view{};
    if (names_nothing(cell)) continue;
    const auto number = parse_int64(cell);
    const bool small = number && *number >= 0 && *number < 1'000'000;
    if (role == uuid) gpu.uuid = visible_text(cell);
    if (role == pci_bus_id) gpu.pci_bus_id = visible_text(cell);
    if (role == ColumnRole::gpu && small) gpu.index = static_cast<int>(*number);
    if (role == ColumnRole::gpu && !small && gpu.name.empty()) gpu.name = visible_text(cell);
    if (role == index && small && !gpu.index) gpu.index = static_cast<int>(*number);
    if (role == name) gpu.name = visible_text(cell);
    if (role == host && gpu.name.empty()) gpu.name = visible_text(cell);
  }
}

std::int64_t PowerTable::place_in_time(GpuRows& gpu, const Timestamp& stamp) const {
  std::int64_t ns = stamp.ns + gpu.shift_ns;
  if (gpu.last_ns) {
    const std::int64_t step = ns - *gpu.last_ns;
    // The end of summer time: the clock falls back by an hour while the polls go on at their pace.
    const std::int64_t pace = std::clamp<std::int64_t>(gpu.last_step_ns, 200'000'000, 60'000'000'000) * 10;
    if (stamp.kind == TimeKind::civil && gpu.clock_set_back < most_clock_changes && step + hour_ns > 0 &&
        step + hour_ns <= pace && step < 0) {
      gpu.shift_ns += hour_ns;
      ++gpu.clock_set_back;
      ns += hour_ns;
    } else if (step < 0) {
      ++gpu.backward_steps;
      gpu.largest_step_back_ns = std::max(gpu.largest_step_back_ns, -step);
    } else if (step > 0) {
      gpu.last_step_ns = step;
    }
  }
  gpu.last_ns = ns;
  return ns;
}

void PowerTable::note_unit(std::size_t at, const CellValue& value) {
  several_lines_ += value.several_lines ? 1U : 0U;
  if (!value.had_unit) return;
  const ColumnRole role = layout_.columns[at].role;
  cells_had_unit_[at] = true;
  power_unit_known_ |= is_power(role);
  energy_unit_known_ |= role == energy;
}

void PowerTable::add_number(GpuRows& gpu, const Column& column, double value, std::int64_t ns) const {
  const bool limit =
      column.role == enforced_power_limit || (column.role == power_limit && !layout_.has(enforced_power_limit));
  if (limit && value > 0) gpu.power.power_limit_w = value;
  if (column.role == module_power) ++gpu.module_readings;
  run::Series<double>* const series = series_of(gpu.power, column.role);
  if (series == nullptr) return;
  if (!is_power(column.role) && (value < 0 || value > highest_clock_mhz)) {
    ++gpu.sentinels;
    return;
  }
  ++gpu.column_values[column.header];
  series->push(ns, value);
}

bool PowerTable::add_cell(GpuRows& gpu, std::string_view cell, std::size_t at, std::int64_t ns, std::string& missing) {
  const Column& column = layout_.columns[at];
  if (column.role == event_reasons) {
    const auto bits = read_reasons(cell);
    if (bits) gpu.power.event_reasons.push(ns, *bits);
    return false;
  }
  const bool is_energy = column.role == energy;
  const CellValue value =
      is_energy ? read_energy(cell, column, decimal_comma_) : read_number(cell, column, decimal_comma_);
  note_unit(at, value);
  const bool of_power = is_power(column.role) || is_energy;
  switch (value.kind) {
    case CellKind::number:
      if (is_energy) {
        gpu.power.energy_mj.push(ns, value.energy_mj);
      } else {
        add_number(gpu, column, value.value, ns);
      }
      return of_power;
    case CellKind::missing:
      if (of_power && missing.empty()) missing = visible_text(value.token);
      // Boards without a module have no module power: that is no loss.
      if (!is_energy && !only_power_[at] && column.role != module_power) ++gpu.other_missing[column.header];
      return false;
    case CellKind::sentinel:
      ++gpu.sentinels;
      if (of_power) missing = "a number that means not supported";
      return false;
    case CellKind::wrapped:
      ++gpu.wrapped;
      missing = "a wrapped number";
      return false;
  }
  return false;
}

void PowerTable::add_row(GpuRows& gpu, std::span<const std::string_view> cells, const Timestamp& stamp,
                         std::optional<std::string_view> device) {
  const std::int64_t ns = place_in_time(gpu, stamp);
  ++gpu.power.rows;
  bool any_power = false;
  bool any_energy = false;
  std::string missing;
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const Column& column = layout_.columns[i];
    if (column.role == ignored || column.role == time || is_identity(column.role)) continue;
    if (device && column.device != *device) continue;
    const bool valid = add_cell(gpu, cell_at(cells, i), i, ns, missing);
    (column.role == energy ? any_energy : any_power) |= valid;
  }
  const bool has = layout_.has_power() ? any_power : any_energy;
  if (has || (!layout_.has_power() && !layout_.has_energy())) return;
  ++gpu.power.missing_power;
  gpu.missing_power_ns.push_back(ns);
  // The tokens are the file's: a log of garbage must not fill the memory with them.
  if (gpu.missing_tokens.size() >= 20 && !gpu.missing_tokens.contains(missing)) missing = "other text";
  ++gpu.missing_tokens[missing];
}

bool PowerTable::is_torn(std::span<const std::string_view> cells) const {
  if (cells.size() < layout_.columns.size()) return true;
  const std::size_t last = layout_.columns.size() - 1;
  const Column& column = layout_.columns[last];
  // "103.00 W" that lost its end reads "10": a number, and wrong. A first row has none before it to compare with.
  const bool expects_unit = cells_had_unit_[last] || (rows_ == 0 && layout_.nvidia_smi_names && column.unit_known);
  if (!expects_unit || column.role == ignored) return false;
  const CellValue value = read_number(cell_at(cells, last), column, decimal_comma_);
  return value.kind == CellKind::number && !value.had_unit;
}

PowerTable::Added PowerTable::add(std::span<const std::string_view> cells, bool last_unterminated) {
  if (last_unterminated && is_torn(cells)) return Added::torn;
  const auto stamp = time_of(cells);
  if (!stamp) return Added::no_time;
  note_time(*stamp);
  ++rows_;
  short_rows_ += cells.size() < layout_.columns.size() ? 1U : 0U;
  const bool extra = cells.size() > layout_.columns.size() && !trim(cells.back()).empty();
  long_rows_ += extra ? 1U : 0U;
  if (devices_.empty()) {
    GpuRows& gpu = gpu_of(cells, stamp->ns);
    run::GpuIdentity identity;
    if (gpu.power.rows == 0) identify(cells, gpu.power.gpu);
    if (layout_.has(ColumnRole::gpu) && layout_.has(index)) {
      for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
        if (layout_.columns[i].role != index) continue;
        const auto number = parse_int64(cell_at(cells, i));
        gpu.index_disagrees += number && gpu.power.gpu.index && *number != *gpu.power.gpu.index ? 1U : 0U;
      }
    }
    add_row(gpu, cells, *stamp, std::nullopt);
    return Added::yes;
  }
  for (const std::string& device : devices_) {
    GpuRows& gpu = gpu_by_key(device);
    const auto number = parse_int64(device);
    if (number && *number >= 0 && *number < 1'000'000) {
      gpu.power.gpu.index = static_cast<int>(*number);
    } else {
      gpu.power.gpu.name = visible_text(device);
    }
    add_row(gpu, cells, *stamp, device);
  }
  return Added::yes;
}

bool PowerTable::by_position() const {
  if (identified_ || gpus_.size() < 2) return false;
  const std::uint64_t size = gpus_.size();
  std::uint64_t groups = 0;
  std::uint64_t full = 0;
  for (const auto& [members, count] : group_sizes_) {
    groups += count;
    if (members == size) full += count;
  }
  return groups >= 3 && full + 1 >= groups;
}

std::vector<GpuRows> PowerTable::take() { return std::move(gpus_); }

}  // namespace kernwatt::readers
