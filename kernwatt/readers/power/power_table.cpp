// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_table.hpp"

#include <algorithm>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_collector.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

constexpr std::size_t most_gpus = 4096;
constexpr std::uint64_t most_in_group = 64;
const std::string overflow_key = "more";

std::string_view cell_at(std::span<const std::string_view> cells, std::size_t i) {
  return i < cells.size() ? trim(cells[i]) : std::string_view{};
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
    if (role == host) gpu.host = visible_text(cell);
  }
}

void PowerTable::note_unit(std::size_t at, const CellValue& value) {
  several_lines_ += value.several_lines ? 1U : 0U;
  if (!value.had_unit) return;
  const ColumnRole role = layout_.columns[at].role;
  cells_had_unit_[at] = true;
  power_unit_known_ |= is_power(role);
  energy_unit_known_ |= role == energy;
}

void PowerTable::add_row(GpuRows& gpu, std::span<const std::string_view> cells, const Timestamp& stamp,
                         std::optional<std::string_view> device) {
  const std::int64_t ns = place_in_time(gpu, stamp);
  RowOutcome outcome;
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const Column& column = layout_.columns[i];
    if (column.role == ignored || column.role == time || is_identity(column.role)) continue;
    if (device && column.device != *device) continue;
    const CellValue value = read_cell(cell_at(cells, i), column, decimal_comma_);
    note_unit(i, value);
    take_cell(gpu, column, value, ns, only_power_[i], outcome);
  }
  const bool wants_power = layout_.has_power();
  close_row(gpu, ns, wants_power, wants_power || layout_.has_energy(), outcome);
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
  time_facts_.note(*stamp);
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
