// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_collector.hpp"
#include "kernwatt/readers/power/power_repairs.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

constexpr std::size_t most_gpus = 4096;
constexpr std::uint64_t most_in_group = 64;
const std::string overflow_key = "more";

std::string_view cell_at(std::span<const std::string_view> cells, std::size_t i) {
  return i < cells.size() ? trim(cells[i]) : std::string_view{};
}

// Of the device in a wide log: GPU 0 of one machine is not that of another.
std::string device_key(const Column& column) {
  return column.host.empty() ? column.device : column.host + "|" + column.device;
}

bool is_reading(ColumnRole role) {
  return role != ignored && role != time && role != date && role != time_of_day && role != elapsed &&
         !is_identity(role);
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
  units_.assign(layout_.columns.size(), {});
  cells_had_unit_.assign(layout_.columns.size(), false);
  only_power_.clear();
  reading_columns_.clear();
  identity_columns_.clear();
  devices_.clear();
  said_.assign(gpus_.size(), {});
  std::unordered_map<std::string, std::size_t> device_of_key;
  std::unordered_map<std::string, std::size_t> powers_of_key;
  for (const Column& column : layout_.columns) {
    if (is_power(column.role)) ++powers_of_key[device_key(column)];
  }
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const Column& column = layout_.columns[i];
    only_power_.push_back(is_power(column.role) && powers_of_key[device_key(column)] == 1);
    if (is_identity(column.role)) identity_columns_.push_back(i);
    identified_ |= is_identity(column.role) && column.role != name;
    if (is_power(column.role)) power_unit_known_ |= column.unit_known;
    if (column.role == energy) energy_unit_known_ |= column.unit_known;
    if (!is_reading(column.role)) continue;
    reading_columns_.push_back(i);
    if (column.device.empty()) continue;
    const auto [known, inserted] = device_of_key.try_emplace(device_key(column), devices_.size());
    if (inserted) devices_.push_back({column.device, column.host, known->first, {}});
    devices_[known->second].columns.push_back(i);
  }
  identified_ |= !devices_.empty();
  has_power_ = layout_.has_power();
  has_energy_ = layout_.has_energy();
  has_gpu_and_index_ = layout_.has(ColumnRole::gpu) && layout_.has(index);
}

std::optional<Timestamp> PowerTable::time_of(std::span<const std::string_view> cells) {
  std::string_view date_cell;
  std::string_view clock_cell;
  std::optional<Timestamp> since_start;
  for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
    const Column& column = layout_.columns[i];
    if (column.role == time) {
      auto stamp = time_reader_.read(cell_at(cells, i), column.time_unit);
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
  if (inserted) {
    gpus_.emplace_back();
    said_.emplace_back();
    numbered_.emplace_back();
  }
  last_gpu_ = found->second;
  return gpus_[last_gpu_];
}

std::string PowerTable::key_of(std::span<const std::string_view> cells, bool& by_number) const {
  std::string_view best;
  int rank = 0;  // of the column that `best` is from: a UUID is surer than a bus address than a number
  std::string_view host_name;
  for (const std::size_t i : identity_columns_) {
    const ColumnRole role = layout_.columns[i].role;
    const std::string_view cell = cell_at(cells, i);
    if (names_nothing(cell)) continue;
    const int worth = role == uuid ? 4 : role == pci_bus_id ? 3 : role == gpu ? 2 : role == index ? 1 : 0;
    if (role == host) host_name = cell;
    if (worth <= rank) continue;
    rank = worth;
    best = cell;
  }
  by_number = rank == 1 || rank == 2;
  std::string key(host_name);
  if (!key.empty()) key.push_back('|');
  key += best;
  return key;
}

// The GPU after the last one, or the last one again, if the row says of itself what that one's last row said.
GpuRows* PowerTable::expected_gpu(std::span<const std::string_view> cells) {
  const auto fits = [&](std::size_t gpu) {
    const auto& said = said_[gpu];
    if (said.size() != identity_columns_.size()) return false;
    for (std::size_t k = 0; k < said.size(); ++k) {
      if (cell_at(cells, identity_columns_[k]) != said[k]) return false;
    }
    return true;
  };
  if (gpus_.empty()) return nullptr;
  const std::size_t next = last_gpu_ + 1 < gpus_.size() ? last_gpu_ + 1 : 0;
  if (!fits(next)) return fits(last_gpu_) ? &gpus_[last_gpu_] : nullptr;
  last_gpu_ = next;
  return &gpus_[next];
}

GpuRows& PowerTable::anonymous_gpu(std::int64_t ns) {
  const std::uint64_t place = groups_.place(ns);
  if (place == 1 && !gpus_.empty()) return gpus_.front();  // "#1" is always the first
  if (place > most_in_group) return gpu_by_key("#1");
  return gpu_by_key("#" + std::to_string(place));
}

// Behind the first row of an instant, those with the same number are kept apart until the end shows what they are.
GpuRows& PowerTable::at_position(std::int64_t ns) {
  NumberedRows& numbered = numbered_[last_gpu_];
  if (!numbered.by_number) return gpus_[last_gpu_];
  const std::uint64_t place = numbered.groups.place(ns);
  if (place == 1 || place > most_in_group) return gpus_[last_gpu_];
  if (numbered.others.size() < place - 1) numbered.others.emplace_back();
  return numbered.others[place - 2];
}

GpuRows& PowerTable::gpu_of(std::span<const std::string_view> cells, std::int64_t ns) {
  if (!identified_) return anonymous_gpu(ns);
  if (expected_gpu(cells) == nullptr) {
    bool by_number = false;
    gpu_by_key(key_of(cells, by_number));
    numbered_[last_gpu_].by_number = by_number;
    auto& said = said_[last_gpu_];
    said.clear();
    for (const std::size_t i : identity_columns_) said.emplace_back(cell_at(cells, i));
  }
  return at_position(ns);
}

void PowerTable::identify(std::span<const std::string_view> cells, run::GpuIdentity& gpu) const {
  std::string said;  // by a column of numbers, and no number of a GPU: "-1", "4026531840"
  for (const std::size_t i : identity_columns_) {
    const ColumnRole role = layout_.columns[i].role;
    const std::string_view cell = cell_at(cells, i);
    if (names_nothing(cell)) continue;
    const bool numbers = role == ColumnRole::gpu || (role == index && !gpu.index);
    const std::int64_t number = numbers ? parse_int64(cell).value_or(-1) : -1;
    const bool fits = number >= 0 && number <= std::numeric_limits<int>::max();
    if (role == uuid) gpu.uuid = visible_text(cell);
    if (role == pci_bus_id) gpu.pci_bus_id = visible_text(cell);
    if (numbers && fits) gpu.index = static_cast<int>(number);
    if (numbers && !fits && said.empty()) said = visible_text(cell);
    if (role == name) gpu.name = visible_text(cell);
    if (role == host) gpu.host = visible_text(cell);
  }
  const bool named = gpu.index || !gpu.uuid.empty() || !gpu.pci_bus_id.empty();
  if (named || said.empty()) return;
  gpu.name = gpu.name.empty() ? std::move(said) : gpu.name + " " + said;
}

void PowerTable::note_index(std::span<const std::string_view> cells, GpuRows& gpu) const {
  for (const std::size_t i : identity_columns_) {
    if (layout_.columns[i].role != index) continue;
    const auto number = parse_int64(cell_at(cells, i));
    gpu.index_disagrees += number && gpu.power.gpu.index && *number != *gpu.power.gpu.index ? 1U : 0U;
  }
}

void PowerTable::note_unit(std::size_t at, const CellValue& value) {
  several_lines_ += value.several_lines ? 1U : 0U;
  if (!value.had_unit || cells_had_unit_[at]) return;
  const ColumnRole role = layout_.columns[at].role;
  cells_had_unit_[at] = true;
  power_unit_known_ |= is_power(role);
  energy_unit_known_ |= role == energy;
}

void PowerTable::add_row(GpuRows& gpu, std::span<const std::string_view> cells, const Timestamp& stamp,
                         std::span<const std::size_t> columns) {
  const std::int64_t ns = place_in_time(gpu, stamp);
  RowOutcome outcome;
  for (const std::size_t i : columns) {
    const Column& column = layout_.columns[i];
    const CellValue value = read_cell(cell_at(cells, i), column, decimal_comma_, &units_[i]);
    note_unit(i, value);
    take_cell(gpu, column, value, ns, only_power_[i], outcome);
  }
  close_row(gpu, ns, has_power_, has_power_ || has_energy_, outcome);
}

void PowerTable::add_wide(std::span<const std::string_view> cells, const Timestamp& stamp) {
  for (const Device& device : devices_) {
    GpuRows& gpu = gpu_by_key(device.key);
    if (gpu.power.rows == 0) {
      gpu.power.gpu.host = visible_text(device.host);
      const auto number = parse_int64(device.name);
      if (number && *number >= 0 && *number < 1'000'000) {
        gpu.power.gpu.index = static_cast<int>(*number);
      } else {
        gpu.power.gpu.name = visible_text(device.name);
      }
    }
    add_row(gpu, cells, stamp, device.columns);
  }
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
  if (!devices_.empty()) {
    add_wide(cells, *stamp);
    return Added::yes;
  }
  GpuRows& gpu = gpu_of(cells, stamp->ns);
  if (gpu.power.rows == 0) identify(cells, gpu.power.gpu);
  if (has_gpu_and_index_) note_index(cells, gpu);
  add_row(gpu, cells, *stamp, reading_columns_);
  return Added::yes;
}

bool PowerTable::by_position() const {
  if (identified_ || gpus_.size() < 2) return false;
  return groups_.all_have(gpus_.size());
}

std::vector<GpuRows> PowerTable::take() {
  const bool only_one = gpus_.size() == 1;
  for (std::size_t i = 0; i < numbered_.size(); ++i) {
    NumberedRows& numbered = numbered_[i];
    if (numbered.others.empty()) continue;
    std::vector<GpuRows> places;
    places.push_back(std::move(gpus_[i]));
    for (GpuRows& other : numbered.others) places.push_back(std::move(other));
    numbered.others.clear();
    if (only_one && numbered.groups.all_have(places.size()) && are_different_gpus(places, true)) {
      under_one_number_ = places.size();
      return places;
    }
    while (places.size() > 1) {
      absorb(places.front(), std::move(places[1]));
      places.erase(places.begin() + 1);
    }
    gpus_[i] = std::move(places.front());
  }
  return std::move(gpus_);
}

}  // namespace kernwatt::readers
