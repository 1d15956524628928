// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/smi_query/smi_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers {

namespace {

Column column(ColumnRole role, std::string_view header) {
  Column c;
  c.role = role;
  c.header = header;
  c.unit_known = true;
  return c;
}

const Column& column_of(ColumnRole role) {
  static const std::array columns{column(ColumnRole::power_draw, "Power Draw"),
                                  column(ColumnRole::power_average, "Average Power Draw"),
                                  column(ColumnRole::power_instant, "Instantaneous Power Draw"),
                                  column(ColumnRole::module_power, "Module Power Draw"),
                                  column(ColumnRole::power_limit, "Power Limit"),
                                  column(ColumnRole::enforced_power_limit, "Enforced Power Limit"),
                                  column(ColumnRole::sm_clock, "SM clock"),
                                  column(ColumnRole::memory_clock, "Memory clock"),
                                  column(ColumnRole::temperature, "GPU Current Temp"),
                                  column(ColumnRole::event_reasons, "Clocks Event Reasons")};
  return *std::find_if(columns.begin(), columns.end(), [role](const Column& c) { return c.role == role; });
}

struct ReasonName {
  std::string_view name;
  std::uint64_t bit;
};

// nvml.h: nvmlClocksEventReason*. The text says "Idle", the XML "gpu_idle".
constexpr std::array reason_names{ReasonName{"idle", 0x1},
                                  ReasonName{"gpu_idle", 0x1},
                                  ReasonName{"applications_clocks_setting", 0x2},
                                  ReasonName{"user_defined_clocks", 0x2},
                                  ReasonName{"sw_power_cap", 0x4},
                                  ReasonName{"hw_slowdown", 0x8},
                                  ReasonName{"sync_boost", 0x10},
                                  ReasonName{"sw_thermal_slowdown", 0x20},
                                  ReasonName{"hw_thermal_slowdown", 0x40},
                                  ReasonName{"hw_power_brake_slowdown", 0x80},
                                  ReasonName{"display_clock_setting", 0x100},
                                  ReasonName{"display_clocks_setting", 0x100}};

bool is_reasons(std::string_view section) {
  return section == "clocks_event_reasons" || section == "clocks_throttle_reasons";
}

std::optional<double> megahertz(std::string_view text) {
  text = trim(text);
  if (!text.ends_with("MHz")) return std::nullopt;
  const auto value = parse_double(trim(text.substr(0, text.size() - 3)));
  return value && *value > 0 && *value < 1e5 ? value : std::nullopt;
}

bool same_lists(const run::SupportedClocks& a, const run::SupportedClocks& b) {
  return std::equal(
      a.memory.begin(), a.memory.end(), b.memory.begin(), b.memory.end(),
      [](const auto& x, const auto& y) { return x.memory_mhz == y.memory_mhz && x.core_mhz == y.core_mhz; });
}

bool same_gpu(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  return a.uuid == b.uuid && a.pci_bus_id == b.pci_bus_id && a.name == b.name;
}

}  // namespace

std::string plain_name(std::string_view text) {
  std::string name;
  for (char c : trim(text)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  if (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

void SmiSnapshot::begin_listing() {
  end();
  time_.reset();
  ++listings_;
}

void SmiSnapshot::end() {
  end_gpu();
  if (attached_ > described_ && described_ > 0) {
    log_.quality().add("power.gpu-absent", Severity::warning,
                       fmt::format("{} GPUs are attached and {} described: the others were not asked for, or lost",
                                   attached_, described_));
  }
  attached_ = 0;
  described_ = 0;
}

void SmiSnapshot::set_attached(std::string_view count) { attached_ = parse_int64(trim(count)).value_or(0); }

void SmiSnapshot::set_time(std::string_view text) { time_ = parse_timestamp(text, TimeUnit::guess); }

void SmiSnapshot::begin_gpu(std::string_view bus_id) {
  end_gpu();
  open_ = true;
  ++described_;
  gpu_.pci_bus_id = visible_text(trim(bus_id));
}

void SmiSnapshot::drop_gpu() {
  open_ = false;
  gpu_ = {};
  values_.clear();
  graphics_clock_.clear();
  has_sm_clock_ = false;
  reasons_.reset();
  supported_.reset();
}

void SmiSnapshot::keep(const Column& column, std::string_view text) {
  const auto same = [&](const auto& entry) { return entry.first == &column; };
  if (std::none_of(values_.begin(), values_.end(), same)) values_.emplace_back(&column, trim(text));
}

void SmiSnapshot::power_value(std::string_view key, std::string_view text, bool module) {
  using enum ColumnRole;
  const bool draw = key == "power_draw";
  const bool average = key == "average_power_draw";
  const bool instant = key == "instant_power_draw" || key == "instantaneous_power_draw";
  if (module) {
    if (draw || average || instant) keep(column_of(module_power), text);
    return;
  }
  if (draw) keep(column_of(power_draw), text);
  if (average) keep(column_of(power_average), text);
  if (instant) keep(column_of(power_instant), text);
  // "Current" is what newer drivers call the enforced limit.
  if (key == "enforced_power_limit" || key == "current_power_limit") keep(column_of(enforced_power_limit), text);
  if (key == "power_limit" || key == "requested_power_limit") keep(column_of(power_limit), text);
}

void SmiSnapshot::clock_value(std::string_view key, std::string_view text) {
  if (key == "sm" || key == "sm_clock") {
    has_sm_clock_ = true;
    keep(column_of(ColumnRole::sm_clock), text);
  }
  if (key == "graphics" || key == "graphics_clock") graphics_clock_ = trim(text);
  if (key == "memory" || key == "mem_clock") keep(column_of(ColumnRole::memory_clock), text);
}

void SmiSnapshot::reason_value(std::string_view key, std::string_view text) {
  for (const std::string_view prefix : {"clocks_event_reason_", "clocks_throttle_reason_"}) {
    if (key.starts_with(prefix)) key.remove_prefix(prefix.size());
  }
  const auto found =
      std::find_if(reason_names.begin(), reason_names.end(), [key](const ReasonName& r) { return r.name == key; });
  text = trim(text);
  if (found == reason_names.end() || (text != "Active" && text != "Not Active")) return;
  reasons_ = reasons_.value_or(0) | (text == "Active" ? found->bit : 0);
}

void SmiSnapshot::supported_clock(std::string_view key, std::string_view text) {
  if (!supported_) supported_.emplace();
  const auto mhz = megahertz(text);
  if (!mhz) return;
  if (key == "memory" || key == "value") supported_->memory.push_back({*mhz, {}});
  const bool core = key == "graphics" || key == "supported_graphics_clock";
  if (core && !supported_->memory.empty()) supported_->memory.back().core_mhz.push_back(*mhz);
}

void SmiSnapshot::value(std::span<const std::string> sections, std::string_view key, std::string_view text) {
  if (!open_) return;
  if (sections.empty()) {
    if (key == "product_name" && !names_nothing(trim(text))) gpu_.name = visible_text(trim(text));
    if ((key == "uuid" || key == "gpu_uuid") && !names_nothing(trim(text))) gpu_.uuid = visible_text(trim(text));
    if (key == "supported_clocks" && !supported_) supported_.emplace();
    return;
  }
  const std::string& section = sections.front();
  if (section == "power_readings" || section == "gpu_power_readings") power_value(key, text, false);
  if (section == "module_power_readings") power_value(key, text, true);
  if (section == "clocks") clock_value(key, text);
  if (section == "temperature" && (key == "gpu_current_temp" || key == "gpu_temp")) {
    keep(column_of(ColumnRole::temperature), text);
  }
  if (is_reasons(section)) reason_value(key, text);
  const bool bus_id = section == "pci" && (key == "bus_id" || key == "pci_bus_id");
  if (bus_id && gpu_.pci_bus_id.empty()) gpu_.pci_bus_id = visible_text(trim(text));
  if (section == "supported_clocks") supported_clock(key, text);
}

void SmiSnapshot::keep_supported_clocks() {
  if (!supported_) return;
  supported_->gpu = gpu_;
  auto& all = log_.supported_clocks();
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& c) { return same_gpu(c.gpu, gpu_); });
  if (known == all.end()) {
    all.push_back(std::move(*supported_));
  } else if (!same_lists(*known, *supported_)) {
    log_.quality().add("power.clock-lists-differ", Severity::warning,
                       "a GPU's supported clocks are listed more than once and differently: the last list was taken");
    *known = std::move(*supported_);
  }
}

void SmiSnapshot::end_gpu() {
  if (!open_) return;
  if (!has_sm_clock_ && !graphics_clock_.empty()) keep(column_of(ColumnRole::sm_clock), graphics_clock_);
  std::vector<Reading> readings;
  readings.reserve(values_.size() + 1);
  for (const auto& [column, text] : values_) readings.push_back({column, read_cell(text, *column)});
  if (reasons_) {
    CellValue bits;
    bits.kind = CellKind::number;
    bits.energy_mj = static_cast<std::int64_t>(*reasons_);
    readings.push_back({&column_of(ColumnRole::event_reasons), bits});
  }
  if (!readings.empty()) log_.add(log_.gpu(gpu_), time_, readings);
  keep_supported_clocks();
  drop_gpu();
}

}  // namespace kernwatt::readers
