// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/metric_name.hpp"

#include <algorithm>
#include <array>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/log_collector.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

struct KnownMetric {
  std::string_view name;
  ColumnRole role;
  double to_base;
};

// DCGM's field names (dcgm_fields.h) in small letters; energies of DCGM are mJ, powers W, clocks MHz. And the metrics
// of other exporters whose names do not say their unit.
constexpr std::array known_metrics{KnownMetric{"dcgm_fi_dev_power_usage", power_draw, 1},
                                   KnownMetric{"dcgm_fi_dev_power_usage_instant", power_instant, 1},
                                   KnownMetric{"dcgm_fi_dev_board_power_watts", power_draw, 1},
                                   KnownMetric{"dcgm_fi_dev_board_power_raw_watts", power_instant, 1},
                                   KnownMetric{"dcgm_fi_dev_total_energy_consumption", energy, 1},
                                   KnownMetric{"dcgm_fi_dev_sm_clock", sm_clock, 1},
                                   KnownMetric{"dcgm_fi_dev_mem_clock", memory_clock, 1},
                                   KnownMetric{"dcgm_fi_dev_gpu_temp", temperature, 1},
                                   KnownMetric{"dcgm_fi_dev_clocks_event_reasons", event_reasons, 1},
                                   KnownMetric{"dcgm_fi_dev_clock_throttle_reasons", event_reasons, 1},
                                   KnownMetric{"dcgm_fi_dev_enforced_power_limit", enforced_power_limit, 1},
                                   KnownMetric{"dcgm_fi_dev_power_mgmt_limit", power_limit, 1},
                                   KnownMetric{"nvidia_smi_clocks_event_reasons_active", event_reasons, 1},
                                   KnownMetric{"nvidia_smi_clocks_throttle_reasons_active", event_reasons, 1},
                                   KnownMetric{"nvidia_gpu_power_usage_milliwatts", power_draw, 1e-3},
                                   KnownMetric{"nvidia_gpu_temperature_celsius", temperature, 1}};

constexpr std::array<std::string_view, 9> prefixes{"nvidia_smi_", "nvidia_gpu_", "nvidia_", "nvml_", "dcgm_",
                                                   "amdsmi_",     "rocm_",       "amd_",    "gpu_"};

// Shares of a GPU's energy that a program ascribes to processes and containers, and powers of other things.
bool is_of_something_else(const HeaderName& name) {
  static constexpr std::array<std::string_view, 15> words{"process", "container", "pod",     "cpu",    "dram",
                                                          "module",  "violation", "limit",   "cap",    "default",
                                                          "min",     "max",       "package", "memory", "platform"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.has_word(word); });
}

Column column_with(std::string_view name, ColumnRole role, double to_base) {
  Column column;
  column.role = role;
  column.header = name;
  column.to_base = to_base;
  column.unit_known = true;
  return column;
}

// "clocks_current_sm_clock_hz" -> "clocks_current_sm": the exporter adds the unit and what it is of.
void drop_last(HeaderName& parts, std::string_view word) {
  if (parts.words.size() > 1 && parts.words.back() == word) parts.words.pop_back();
}

Column generic_metric(std::string_view name, std::string_view small) {
  std::string_view bare = small;
  for (const std::string_view prefix : prefixes) {
    if (bare.starts_with(prefix) && bare.size() > prefix.size()) bare.remove_prefix(prefix.size());
  }
  if (bare.ends_with("_total")) bare.remove_suffix(6);
  const bool hertz = bare.ends_with("_hz");
  if (hertz) bare.remove_suffix(3);
  HeaderName parts = take_apart(bare);
  if (hertz) drop_last(parts, "clock");
  drop_last(parts, "mhz");
  ColumnRole role = role_by_name(parts);
  if (role == ignored && !is_of_something_else(parts)) {
    if (is_watt(parts.unit) && parts.has_word("power")) role = power_draw;
    if (parts.unit.find("joule") != std::string::npos && (parts.has_word("energy") || parts.words.empty()))
      role = energy;
  }
  const bool of_a_gpu = is_power(role) || role == energy || role == sm_clock || role == graphics_clock ||
                        role == memory_clock || role == temperature || role == power_limit ||
                        role == enforced_power_limit || role == event_reasons;
  if (!of_a_gpu) role = ignored;
  const double factor = hertz ? 1e-6 : factor_of_unit(parts.unit).value_or(1.0);
  Column column = column_with(name, role, factor);
  column.unit_known = hertz || !parts.unit.empty();
  return column;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

void take_index(std::string_view value, std::optional<int>& index) {
  const auto number = parse_int64(value);
  if (number && *number >= 0 && *number < 1'000'000 && !index) index = static_cast<int>(*number);
}

}  // namespace

Column metric_column(std::string_view name) {
  const std::string small = lower(name);
  const auto found = std::find_if(known_metrics.begin(), known_metrics.end(),
                                  [&](const KnownMetric& known) { return known.name == small; });
  if (found != known_metrics.end()) return column_with(name, found->role, found->to_base);
  if (small.starts_with("dcgm_fi_")) return column_with(name, ignored, 1);
  return generic_metric(name, small);
}

run::GpuIdentity identity_of(const Labels& labels) {
  run::GpuIdentity gpu;
  std::string address;
  std::optional<int> minor;
  for (const auto& [label, value] : labels) {
    if (names_nothing(value)) continue;
    const std::string key = lower(label);
    const std::string shown = visible_text(value);
    if (is_one_of(key, {"uuid", "gpu_uuid", "gpuuuid", "device_uuid"})) gpu.uuid = shown;
    if (is_one_of(key, {"pci_bus_id", "pcibusid", "pci_bus", "bus_id", "gpu_bus_id"})) gpu.pci_bus_id = shown;
    if (is_one_of(key, {"gpu", "gpu_id", "index", "gpu_index"})) take_index(value, gpu.index);
    if (is_one_of(key, {"minor_number", "minor", "device", "card"})) take_index(value, minor);
    if (is_one_of(key, {"modelname", "model", "gpu_name", "product_name", "card_model", "name"})) gpu.name = shown;
    if (is_one_of(key, {"hostname", "host", "node", "nodename", "node_name", "exported_hostname"})) gpu.host = shown;
    if (key == "instance") address = shown;
  }
  if (!gpu.index && gpu.uuid.empty() && gpu.pci_bus_id.empty()) gpu.index = minor;
  if (gpu.host.empty()) gpu.host = address;
  return gpu;
}

bool names_a_gpu(const run::GpuIdentity& gpu) { return !gpu.uuid.empty() || !gpu.pci_bus_id.empty() || gpu.index; }

}  // namespace kernwatt::readers
