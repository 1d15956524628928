// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/power/header_name.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

bool is_of_a_gpu(ColumnRole role) {
  return is_power(role) || role == energy || role == sm_clock || role == graphics_clock || role == memory_clock ||
         role == temperature;
}

// "power_0_w", "energy_3": the number of the GPU stands last.
void take_trailing_device(HeaderName& parts) {
  if (!parts.device.empty() || parts.words.empty()) return;
  const std::string last = parts.words.back();
  const std::size_t digits = last.find_last_not_of("0123456789") + 1;  // "power0" has it at the end of a word
  if (digits == last.size() || (digits == 0 && parts.words.size() < 2)) return;
  const std::string number = last.substr(digits);
  HeaderName shorter = parts;
  if (digits == 0) {
    shorter.words.pop_back();
  } else {
    shorter.words.back() = last.substr(0, digits);
  }
  if (shorter.unit.empty() && shorter.words.size() > 1 && factor_of_unit(shorter.words.back())) {
    shorter.unit = shorter.words.back();
    shorter.words.pop_back();
  }
  if (!is_of_a_gpu(role_by_name(shorter))) return;
  shorter.device = number;
  parts = std::move(shorter);
}

Column column_of(std::string_view header, HeaderName parts) {
  Column column;
  take_trailing_device(parts);
  column.header = std::string(trim(header));
  column.role = role_by_name(parts);
  column.device = parts.device;
  // "gpu0 [W]", "gpu3_watts"
  if (!parts.device.empty() && parts.words.empty() && is_watt(parts.unit)) column.role = power_draw;
  column.time_unit = time_unit_of(parts.unit);
  column.utc = parts.unit == "utc" || parts.has_word("utc");
  if (const auto factor = factor_of_unit(parts.unit)) {
    column.to_base = *factor;
    column.unit_known = true;
  }
  return column;
}

bool is_other_power(const HeaderName& parts) {
  static constexpr std::array<std::string_view, 18> words{
      "cpu",    "ram",     "dram",     "system",     "psu",       "wall",  "limit", "package", "cap",
      "module", "default", "enforced", "management", "requested", "rated", "tdp",   "state",   "factor"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return parts.has_word(word); });
}

// Several powers of one GPU: its current or mean value is the reading, its extremes are not.
void take_statistic(std::span<const std::size_t> candidates, std::span<const HeaderName> names, ColumnLayout& layout) {
  std::size_t best = candidates.front();
  const auto worth = [&](std::size_t i) {
    if (names[i].has_word("min") || names[i].has_word("max") || names[i].has_word("peak")) return 0;
    return names[i].has_word("avg") || names[i].has_word("average") || names[i].has_word("mean") ? 1 : 2;
  };
  for (const std::size_t i : candidates) {
    if (worth(i) > worth(best)) best = i;
  }
  layout.columns[best].role = worth(best) == 1 ? power_average : power_draw;
  layout.guessed_power = layout.columns[best].header;
}

// Only a total is named: what it sums are the columns beside it.
void take_summands(std::span<const HeaderName> names, ColumnLayout& layout) {
  static constexpr std::array<std::string_view, 14> words{"util",        "utilization", "mem",   "memory", "temp",
                                                          "temperature", "clock",       "phase", "note",   "id",
                                                          "fan",         "label",       "step",  "job"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Column& column = layout.columns[i];
    const bool other =
        std::any_of(words.begin(), words.end(), [&](std::string_view word) { return names[i].has_word(word); });
    const bool unnamed = names[i].words.empty() && names[i].device.empty();
    if (column.role != ignored || other || unnamed || is_sum(names[i]) || is_other_power(names[i])) continue;
    column.role = power_draw;
    if (column.device.empty()) column.device = names[i].base();
    layout.guessed_power += (layout.guessed_power.empty() ? "" : ", ") + column.header;
  }
}

// No column has a name that we know. A log of several machines has a column per node, "node1_watts", and often their
// sum; other logs have one power under a name of their own.
void read_unlisted_power(std::span<const HeaderName> names, ColumnLayout& layout) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const HeaderName& name = names[i];
    const bool bare_device = !name.device.empty() && name.words.empty();  // "gpu0"
    const bool power = is_watt(name.unit) || name.has_word("power") || name.has_word("watts") || bare_device;
    if (layout.columns[i].role != ignored || !power || is_other_power(name)) continue;
    if (is_sum(name)) {
      layout.totals.push_back(layout.columns[i].header);
    } else if (bare_device || !name.words.empty()) {
      candidates.push_back(i);
    }
  }
  if (candidates.empty() && !layout.totals.empty()) take_summands(names, layout);
  if (candidates.empty()) return;
  const bool devices = std::all_of(candidates.begin(), candidates.end(), [&](std::size_t i) {
    return !names[i].device.empty() || (is_watt(names[i].unit) && !names[i].has_word("power"));
  });
  if (!devices) {
    take_statistic(candidates, names, layout);
    return;
  }
  for (const std::size_t i : candidates) {
    layout.columns[i].role = power_draw;
    if (layout.columns[i].device.empty()) layout.columns[i].device = names[i].base();
    if (!is_watt(names[i].unit)) layout.guessed_power = layout.columns[i].header;
  }
}

// What stands before "gpu0" in "node1_gpu0_power_w", if the rest alone is a reading.
std::string host_before_device(const HeaderName& name, ColumnRole& role) {
  const std::size_t before = name.words_before_device;
  if (name.device.empty() || before == 0 || is_sum(name) || is_other_power(name)) return {};
  const auto behind = name.words.begin() + static_cast<std::ptrdiff_t>(before);
  HeaderName reading = name;
  reading.words.assign(behind, name.words.end());
  HeaderName prefix;
  prefix.words.assign(name.words.begin(), behind);
  static constexpr std::array<std::string_view, 16> no_hosts{"min", "max",  "peak",   "avg",   "mean", "average",
                                                             "std", "mem",  "memory", "sm",    "temp", "clock",
                                                             "sum", "util", "power",  "energy"};
  const bool names_quantity =
      std::any_of(no_hosts.begin(), no_hosts.end(), [&](std::string_view word) { return prefix.has_word(word); });
  if (names_quantity) return {};
  role = reading.words.empty() && is_watt(reading.unit) ? power_draw : role_by_name(reading);
  return is_of_a_gpu(role) ? prefix.base() : std::string();
}

// Columns of several machines: GPU 0 of one is not GPU 0 of another. One prefix alone tells nothing apart.
void take_hosts(std::span<const HeaderName> names, ColumnLayout& layout) {
  std::set<std::string> hosts;
  std::vector<std::string> host_of(names.size());
  std::vector<ColumnRole> role_of(names.size(), ignored);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (layout.columns[i].role != ignored) continue;
    host_of[i] = host_before_device(names[i], role_of[i]);
    if (is_power(role_of[i]) || role_of[i] == energy) hosts.insert(host_of[i]);
  }
  hosts.erase("");
  if (hosts.size() < 2) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!hosts.contains(host_of[i])) continue;
    layout.columns[i].host = host_of[i];
    layout.columns[i].role = role_of[i];
  }
}

// A second column of the same meaning (a log joined from two) is not read twice.
void drop_repeated(ColumnLayout& layout) {
  std::set<std::tuple<ColumnRole, std::string_view, std::string_view>> seen;
  for (Column& column : layout.columns) {
    const bool first = seen.emplace(column.role, column.host, column.device).second;
    if (!first && column.role != module_power) column.role = ignored;
  }
}

bool is_query_name(std::string_view header) {
  static constexpr std::array<std::string_view, 5> groups{"power.", "clocks.", "utilization.", "memory.",
                                                          "temperature."};
  return std::any_of(groups.begin(), groups.end(),
                     [header](std::string_view group) { return header.find(group) != std::string_view::npos; });
}

// Of "Date" and "Time" the second is a time of day.
void pair_date_and_time(ColumnLayout& layout) {
  if (!layout.has(date)) return;
  for (Column& column : layout.columns) {
    if (column.role == time && lower(column.header) == "time") column.role = time_of_day;
  }
  if (layout.has(time)) return;
  for (Column& column : layout.columns) {
    if (column.role == date && !layout.has(time_of_day)) column.role = time;
  }
}

bool is_pci_bus_id(std::string_view cell) {
  const std::size_t dot = cell.rfind('.');
  return cell.size() >= 7 && dot == cell.size() - 2 && std::count(cell.begin(), cell.end(), ':') >= 1 &&
         std::all_of(cell.begin(), cell.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '.'; });
}

std::string_view unit_of_cell(std::string_view cell) {
  const std::size_t blank = cell.rfind(' ');
  if (blank == std::string_view::npos || !parse_double(trim(cell.substr(0, blank)))) return {};
  return trim(cell.substr(blank + 1));
}

ColumnRole role_of_cell(std::string_view cell, const ColumnLayout& so_far) {
  const std::string unit = lower(unit_of_cell(cell));
  // The first power column of a query is its draw, what follows are limits; the first clock is the core's.
  if (is_watt(unit)) return so_far.has_power() ? ignored : power_draw;
  if (unit == "mhz") return so_far.has(sm_clock) ? (so_far.has(memory_clock) ? ignored : memory_clock) : sm_clock;
  if (cell.starts_with("GPU-") && cell.size() >= 12) return uuid;
  if (is_pci_bus_id(cell)) return pci_bus_id;
  if (cell.starts_with("NVIDIA ") || cell.starts_with("Tesla ") || cell.starts_with("GeForce ")) return name;
  const auto stamp = parse_timestamp(cell, TimeUnit::guess);
  if (stamp && stamp->kind != TimeKind::relative && !so_far.has(time)) return time;
  return ignored;
}

// Without units there is a choice among numbers, unless there is but one. nvidia-smi writes powers with two decimals
// and everything else without, so an index is none.
void take_only_number(std::span<const std::string_view> cells, ColumnLayout& layout) {
  std::size_t numbers = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = trim(cells[i]);
    if (layout.columns[i].role != ignored || !parse_double(cell)) continue;
    ++numbers;
    last = i;
  }
  if (numbers != 1 || trim(cells[last]).find('.') == std::string_view::npos) return;
  layout.columns[last].role = power_draw;
  layout.guessed_power = "the only number";
}

}  // namespace

bool is_power(ColumnRole role) {
  return role == power_draw || role == power_instant || role == power_average || role == power_sample;
}

bool is_identity(ColumnRole role) {
  return role == uuid || role == pci_bus_id || role == gpu || role == index || role == name || role == host;
}

bool ColumnLayout::has(ColumnRole role) const {
  return std::any_of(columns.begin(), columns.end(), [role](const Column& c) { return c.role == role; });
}

bool ColumnLayout::has_time() const { return has(time) || has(elapsed) || (has(date) && has(time_of_day)); }

bool ColumnLayout::has_power() const {
  return std::any_of(columns.begin(), columns.end(), [](const Column& c) { return is_power(c.role); });
}

std::size_t ColumnLayout::recognised() const {
  return static_cast<std::size_t>(
      std::count_if(columns.begin(), columns.end(), [](const Column& c) { return c.role != ignored; }));
}

ColumnLayout layout_from_header(std::span<const std::string_view> cells) {
  ColumnLayout layout;
  std::vector<HeaderName> names;
  layout.has_header = true;
  for (const std::string_view cell : cells) {
    names.push_back(take_apart(cell));
    Column column = column_of(cell, names.back());
    layout.nvidia_smi_names |= is_query_name(column.header);
    layout.columns.push_back(std::move(column));
  }
  take_hosts(names, layout);
  drop_repeated(layout);
  pair_date_and_time(layout);
  if (!layout.has_power() && !layout.has_energy()) read_unlisted_power(names, layout);
  for (const Column& column : layout.columns) layout.wide |= !column.device.empty() && column.role != ignored;
  if (!layout.wide || !layout.totals.empty()) return layout;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_sum(names[i]) || !layout.columns[i].device.empty()) continue;
    layout.columns[i].role = ignored;
    layout.totals.push_back(layout.columns[i].header);
  }
  return layout;
}

ColumnLayout layout_from_cells(std::span<const std::string_view> cells) {
  ColumnLayout layout;
  for (const std::string_view cell : cells) {
    Column column;
    column.role = role_of_cell(trim(cell), layout);
    layout.columns.push_back(std::move(column));
  }
  if (!layout.has_power()) take_only_number(cells, layout);
  return layout;
}

bool looks_like_header(std::span<const std::string_view> cells) {
  std::size_t names = 0;
  for (const std::string_view cell : cells) {
    const std::string_view bare = trim(cell);
    if (bare.empty()) continue;
    const auto stamp = parse_timestamp(bare, TimeUnit::guess);
    if (stamp && stamp->kind != TimeKind::relative) return false;
    const HeaderName name = take_apart(bare);
    const bool in_watts = is_watt(name.unit) && !name.words.empty() && !parse_double(name.words.front());
    if (in_watts || column_of(bare, name).role != ignored) ++names;
  }
  return names > 0;
}

}  // namespace kernwatt::readers
