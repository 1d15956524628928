// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/power/timestamp.hpp"

/// What each column of a power log is, told by its header or, where there is none, by its cells.
namespace kernwatt::readers {

enum class ColumnRole : std::uint8_t {
  ignored,
  time,
  date,
  time_of_day,
  elapsed,
  uuid,
  pci_bus_id,
  gpu,
  index,
  name,
  host,
  power_draw,
  power_instant,
  power_average,
  power_sample,
  module_power,
  energy,
  sm_clock,
  graphics_clock,
  memory_clock,
  temperature,
  event_reasons,
  power_limit,
  enforced_power_limit
};

bool is_power(ColumnRole role);     ///< of the GPU: not of the module, not a limit
bool is_identity(ColumnRole role);  ///< says which GPU a row is about

struct Column {
  ColumnRole role = ColumnRole::ignored;
  std::string header;       ///< as the file has it, trimmed; empty without a header
  double to_base = 1;       ///< factor from the column's unit to W, mJ, MHz or °C
  bool unit_known = false;  ///< the header says the unit
  TimeUnit time_unit = TimeUnit::guess;
  bool utc = false;    ///< the header says that civil times are in UTC
  std::string device;  ///< in wide logs, the GPU (or other device) that the column is about: "0", "node1"
  std::string host;    ///< in wide logs of several machines, the device's: "node1" of "node1_gpu0_watts"
};

struct ColumnLayout {
  std::vector<Column> columns;
  bool has_header = false;
  bool nvidia_smi_names = false;    ///< dotted names, as --query-gpu has them
  bool wide = false;                ///< a column per GPU
  std::vector<std::string> totals;  ///< columns that sum over GPUs: left out, lest they count twice

  std::string guessed_power;  ///< a column taken for the power though its name is not one that we know

  bool has(ColumnRole role) const;
  bool has_time() const;
  bool has_power() const;
  bool has_energy() const { return has(ColumnRole::energy); }
  /// How many columns have a role.
  std::size_t recognised() const;
};

/// Reads a header. Names are compared without case, units in brackets or as a last part ("_mw") are understood.
ColumnLayout layout_from_header(std::span<const std::string_view> cells);

/// Reads the first row of a log without a header. A cell "11.64 W" is a power, "1980 MHz" a clock, "GPU-…" a UUID; a
/// column without a unit stays unread, since guessing would invent.
ColumnLayout layout_from_cells(std::span<const std::string_view> cells);

/// Whether a record is a header: it names columns and holds no time.
bool looks_like_header(std::span<const std::string_view> cells);

/// Factor from a unit ("W", "mW", "uJ", "kWh", "MHz", "C") to W, mJ, MHz or °C; empty for other words.
std::optional<double> factor_of_unit(std::string_view unit);

}  // namespace kernwatt::readers
