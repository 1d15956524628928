// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/readers/power/power_columns.hpp"

/// The value cells of power logs.
namespace kernwatt::readers {

enum class CellKind : std::uint8_t {
  number,
  missing,   ///< empty, "[N/A]", "ERR!": anything that is no number
  sentinel,  ///< a number that means "not supported": DCGM's blanks
  wrapped    ///< an energy near 2^64: a negative difference stored without sign
};

struct CellValue {
  CellKind kind = CellKind::missing;
  double value = 0;            ///< in W, MHz or °C
  std::int64_t energy_mj = 0;  ///< of an energy; of event reasons, their bits
  std::string_view token;      ///< what a missing cell says; "empty" for nothing
  bool had_unit = false;       ///< the cell says its unit itself
  bool several_lines = false;  ///< only the first was read
};

/// The unit that the cells of a column wrote last: nearly always the next one's too.
struct UnitMemo {
  std::string unit;
  double factor = 1;
};

/// Reads "126.96", "126.96 W", "1980 MHz" or, with decimal_comma, "126,96". The cell's own unit goes before the
/// column's.
CellValue read_number(std::string_view cell, const Column& column, bool decimal_comma, UnitMemo* memo = nullptr);

/// Reads an energy exactly, as an integer where the unit allows.
CellValue read_energy(std::string_view cell, const Column& column, bool decimal_comma, UnitMemo* memo = nullptr);

/// Reads the cell as what its column holds: read_energy for an energy, read_reasons for event reasons, read_number for
/// everything else.
CellValue read_cell(std::string_view cell, const Column& column, bool decimal_comma = false, UnitMemo* memo = nullptr);

/// NVML's reason bits, hexadecimal ("0x4") or decimal; empty when the cell has none.
std::optional<std::uint64_t> read_reasons(std::string_view cell);

}  // namespace kernwatt::readers
