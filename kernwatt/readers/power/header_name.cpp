// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/header_name.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

namespace {

using enum ColumnRole;

struct Unit {
  std::string_view word;
  double factor;
};

constexpr std::array units{
    Unit{"w", 1.0},           Unit{"watt", 1.0},         Unit{"watts", 1.0},      Unit{"mw", 1e-3},
    Unit{"milliwatts", 1e-3}, Unit{"milliwatt", 1e-3},   Unit{"uw", 1e-6},        Unit{"kw", 1e3},
    Unit{"mj", 1.0},          Unit{"millijoules", 1.0},  Unit{"millijoule", 1.0}, Unit{"uj", 1e-3},
    Unit{"µj", 1e-3},         Unit{"microjoules", 1e-3}, Unit{"j", 1e3},          Unit{"joules", 1e3},
    Unit{"joule", 1e3},       Unit{"kj", 1e6},           Unit{"wh", 3.6e6},       Unit{"kwh", 3.6e9},
    Unit{"mhz", 1.0},         Unit{"ghz", 1e3},          Unit{"c", 1.0},          Unit{"°c", 1.0},
    Unit{"celsius", 1.0}};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == '_' || c == '.' || c == ' ' || c == '-' || c == '/' || c == ':') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word.push_back(c);
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

void take_bracketed_unit(std::string& text, HeaderName& name) {
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const std::size_t begin = text.find(open);
    const std::size_t end = text.find(close, begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) continue;
    name.unit = std::string(trim(std::string_view(text).substr(begin + 1, end - begin - 1)));
    text.erase(begin, end - begin + 1);
  }
}

void take_device(HeaderName& name) {
  for (std::size_t i = 0; i < name.words.size(); ++i) {
    const std::string& word = name.words[i];
    if (word.starts_with("gpu") && all_digits(std::string_view(word).substr(3))) {
      name.device = word.substr(3);
      name.words_before_device = i;
      name.words.erase(name.words.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (word == "gpu" && i + 1 < name.words.size() && all_digits(name.words[i + 1])) {
      name.device = name.words[i + 1];
      name.words_before_device = i;
      const auto at = name.words.begin() + static_cast<std::ptrdiff_t>(i);
      name.words.erase(at, at + 2);
      return;
    }
  }
}

// "elapsed_min", "minutes": of a time only, since "power_min" is the least.
void take_minutes(HeaderName& name) {
  static constexpr std::array<std::string_view, 4> minutes{"min", "mins", "minute", "minutes"};
  const bool last =
      !name.words.empty() && std::find(minutes.begin(), minutes.end(), name.words.back()) != minutes.end();
  if (!last || !name.unit.empty() || !name.device.empty()) return;
  const bool alone = name.words.size() == 1 && name.words.back().starts_with("minute");
  if (!alone && name.words.front() != "elapsed" && name.words.front() != "time" && name.words.front() != "t") return;
  if (alone) {
    name.words.back() = "elapsed";
  } else {
    name.words.pop_back();
  }
  name.unit = "min";
}

struct KnownName {
  std::string_view name;
  ColumnRole role;
};

// Names as joined words: "power.draw [W]" is power_draw. Sources: nvidia-smi --help-query-gpu, DCGM field names, and
// the headers of scripts in the wild (docs/formats.md).
constexpr std::array known_names{KnownName{"timestamp", time},
                                 KnownName{"time", time},
                                 KnownName{"datetime", time},
                                 KnownName{"date_time", time},
                                 KnownName{"ts", time},
                                 KnownName{"epoch", time},
                                 KnownName{"unix", time},
                                 KnownName{"unix_time", time},
                                 KnownName{"unixtime", time},
                                 KnownName{"unix_timestamp", time},
                                 KnownName{"timestamp_unix", time},
                                 KnownName{"timestamp_utc", time},
                                 KnownName{"epoch_time", time},
                                 KnownName{"time_epoch", time},
                                 KnownName{"timestamp_epoch", time},
                                 KnownName{"wall_time", time},
                                 KnownName{"date", date},
                                 KnownName{"elapsed", elapsed},
                                 KnownName{"elapsed_time", elapsed},
                                 KnownName{"relative_time", elapsed},
                                 KnownName{"seconds", elapsed},
                                 KnownName{"t", elapsed},
                                 KnownName{"uuid", uuid},
                                 KnownName{"gpu_uuid", uuid},
                                 KnownName{"pci_bus_id", pci_bus_id},
                                 KnownName{"gpu_bus_id", pci_bus_id},
                                 KnownName{"gpu_pci_bus_id", pci_bus_id},
                                 KnownName{"bus_id", pci_bus_id},
                                 KnownName{"gpu", gpu},
                                 KnownName{"gpu_id", gpu},
                                 KnownName{"gpuid", gpu},
                                 KnownName{"device", gpu},
                                 KnownName{"device_id", gpu},
                                 KnownName{"gpu_num", gpu},
                                 KnownName{"index", index},
                                 KnownName{"gpu_index", index},
                                 KnownName{"gpu_idx", index},
                                 KnownName{"device_index", index},
                                 KnownName{"minor_number", ignored},
                                 KnownName{"name", name},
                                 KnownName{"gpu_name", name},
                                 KnownName{"model", name},
                                 KnownName{"modelname", name},
                                 KnownName{"hostname", host},
                                 KnownName{"host", host},
                                 KnownName{"node", host},
                                 KnownName{"power_draw", power_draw},
                                 KnownName{"power", power_draw},
                                 KnownName{"draw", power_draw},
                                 KnownName{"power_usage", power_draw},
                                 KnownName{"power_current", power_draw},
                                 KnownName{"gpu_power", power_draw},
                                 KnownName{"gpu_power_draw", power_draw},
                                 KnownName{"gpu_power_usage", power_draw},
                                 KnownName{"board_power", power_draw},
                                 KnownName{"board_power_draw", power_draw},
                                 KnownName{"watts", power_draw},
                                 KnownName{"watt", power_draw},
                                 KnownName{"powr", power_draw},
                                 KnownName{"pwr", power_draw},
                                 KnownName{"dcgm_fi_dev_power_usage", power_draw},
                                 KnownName{"power_draw_instant", power_instant},
                                 KnownName{"power_instant", power_instant},
                                 KnownName{"instant_power", power_instant},
                                 KnownName{"power_usage_instant", power_instant},
                                 KnownName{"dcgm_fi_dev_power_usage_instant", power_instant},
                                 KnownName{"power_draw_average", power_average},
                                 KnownName{"power_average", power_average},
                                 KnownName{"power_avg", power_average},
                                 KnownName{"power_draw_avg", power_average},
                                 KnownName{"average_power", power_average},
                                 KnownName{"avg_power", power_average},
                                 KnownName{"module_power_draw", module_power},
                                 KnownName{"module_power_draw_average", module_power},
                                 KnownName{"module_power_draw_instant", module_power},
                                 KnownName{"total_energy_consumption", energy},
                                 KnownName{"total_energy", energy},
                                 KnownName{"energy", energy},
                                 KnownName{"gpu_energy", energy},
                                 KnownName{"energy_counter", energy},
                                 KnownName{"energy_total", energy},
                                 KnownName{"energy_consumption", energy},
                                 KnownName{"cumulative_energy", energy},
                                 KnownName{"energy_cumulative", energy},
                                 KnownName{"totec", energy},
                                 KnownName{"dcgm_fi_dev_total_energy_consumption", energy},
                                 KnownName{"clocks_sm", sm_clock},
                                 KnownName{"clocks_current_sm", sm_clock},
                                 KnownName{"sm_clock", sm_clock},
                                 KnownName{"clock_sm", sm_clock},
                                 KnownName{"sm", sm_clock},
                                 KnownName{"dcgm_fi_dev_sm_clock", sm_clock},
                                 KnownName{"clocks_gr", graphics_clock},
                                 KnownName{"clocks_graphics", graphics_clock},
                                 KnownName{"clocks_current_graphics", graphics_clock},
                                 KnownName{"graphics_clock", graphics_clock},
                                 KnownName{"gpu_clock", graphics_clock},
                                 KnownName{"clock_gpu", graphics_clock},
                                 KnownName{"clocks_mem", memory_clock},
                                 KnownName{"clocks_memory", memory_clock},
                                 KnownName{"clocks_current_memory", memory_clock},
                                 KnownName{"mem_clock", memory_clock},
                                 KnownName{"memory_clock", memory_clock},
                                 KnownName{"mem", memory_clock},
                                 KnownName{"dcgm_fi_dev_mem_clock", memory_clock},
                                 KnownName{"temperature_gpu", temperature},
                                 KnownName{"gpu_temperature", temperature},
                                 KnownName{"temperature", temperature},
                                 KnownName{"temp", temperature},
                                 KnownName{"gpu_temp", temperature},
                                 KnownName{"dcgm_fi_dev_gpu_temp", temperature},
                                 KnownName{"clocks_event_reasons_active", event_reasons},
                                 KnownName{"clocks_throttle_reasons_active", event_reasons},
                                 KnownName{"event_reasons", event_reasons},
                                 KnownName{"throttle_reasons", event_reasons},
                                 KnownName{"clock_event_reasons", event_reasons},
                                 KnownName{"power_limit", power_limit},
                                 KnownName{"enforced_power_limit", enforced_power_limit}};

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string HeaderName::base() const {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out.push_back('_');
    out += word;
  }
  return out;
}

bool HeaderName::has_word(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> factor_of_unit(std::string_view unit) {
  const std::string word = lower(trim(unit));
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.word == word; });
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

HeaderName take_apart(std::string_view header) {
  HeaderName name;
  std::string text = lower(trim(header));
  take_bracketed_unit(text, name);
  name.words = words_of(text);
  take_device(name);
  static constexpr std::array<std::string_view, 9> time_units{"ns",      "us",   "ms", "s",          "sec",
                                                              "seconds", "secs", "µs", "nanoseconds"};
  if (name.unit.empty() && name.words.size() + (name.device.empty() ? 0U : 1U) > 1 && !name.words.empty()) {
    const std::string& last = name.words.back();
    const bool is_unit =
        factor_of_unit(last).has_value() || std::find(time_units.begin(), time_units.end(), last) != time_units.end();
    if (is_unit) {
      name.unit = last;
      name.words.pop_back();
    }
  }
  take_minutes(name);
  return name;
}

ColumnRole role_by_name(const HeaderName& parts) {
  const std::string base = parts.base();
  // "sm_mhz" is a clock, a column "sm" without a unit is a utilisation (nvidia-smi dmon); likewise "mem".
  if ((base == "sm" || base == "mem") && parts.unit != "mhz") return ignored;
  const auto found =
      std::find_if(known_names.begin(), known_names.end(), [&](const KnownName& k) { return k.name == base; });
  return found == known_names.end() ? ignored : found->role;
}

TimeUnit time_unit_of(std::string_view unit) {
  if (unit == "min" || unit == "mins" || unit == "minute" || unit == "minutes") return TimeUnit::minutes;
  if (unit == "ns" || unit == "nanoseconds") return TimeUnit::nanoseconds;
  if (unit == "us" || unit == "µs") return TimeUnit::microseconds;
  if (unit == "ms") return TimeUnit::milliseconds;
  if (unit == "s" || unit == "sec" || unit == "secs" || unit == "seconds") return TimeUnit::seconds;
  return TimeUnit::guess;
}

bool is_watt(std::string_view unit) {
  return unit == "w" || unit == "watt" || unit == "watts" || unit == "mw" || unit == "milliwatts" || unit == "kw";
}

bool is_sum(const HeaderName& parts) {
  return std::any_of(parts.words.begin(), parts.words.end(),
                     [](const std::string& w) { return w == "total" || w == "sum" || w == "all" || w == "cluster"; });
}

}  // namespace kernwatt::readers
