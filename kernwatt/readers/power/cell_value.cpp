// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/cell_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

namespace {

// DCGM's blank values (dcgm_fields.h: DCGM_INT32_BLANK, DCGM_INT64_BLANK, DCGM_FP64_BLANK and the 16 codes above
// each). The floating-point one is also seen multiplied by a hundred.
bool is_dcgm_blank(double value) {
  const auto near = [value](double blank) { return value >= blank && value <= blank + 16; };
  return near(2147483632.0) || near(140737488355328.0) || (value >= 1.4073748e16 && value <= 1.4073749e16) ||
         value >= 9.2233720368547e18;
}

struct Parts {
  std::string_view number;
  std::string_view unit;
};

Parts split_unit(std::string_view cell) {
  std::size_t n = 0;
  while (n < cell.size()) {
    const char c = cell[n];
    const bool of_number = (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '+' || c == '-';
    const bool exponent = (c == 'e' || c == 'E') && n > 0 && n + 1 < cell.size() &&
                          ((cell[n + 1] >= '0' && cell[n + 1] <= '9') || cell[n + 1] == '+' || cell[n + 1] == '-');
    if (!of_number && !exponent) break;
    ++n;
  }
  return {cell.substr(0, n), trim(cell.substr(n))};
}

// In a comma-separated log a quoted "126,96" has a decimal comma; "1,234" may have either.
bool is_decimal_comma(std::string_view number) {
  const std::size_t comma = number.find(',');
  return comma != std::string_view::npos && number.find(',', comma + 1) == std::string_view::npos &&
         number.find('.') == std::string_view::npos && number.size() - comma - 1 != 3;
}

std::string_view first_line(std::string_view cell, bool& several) {
  cell = trim(cell);
  const std::size_t end = cell.find('\n');
  several = end != std::string_view::npos;
  return several ? trim(cell.substr(0, end)) : cell;
}

struct Prepared {
  CellValue cell;
  std::string number;  // with a decimal point
  double factor = 1;
  bool valid = false;
};

Prepared prepare(std::string_view text, const Column& column, bool decimal_comma, UnitMemo* memo) {
  Prepared result;
  const std::string_view line = first_line(text, result.cell.several_lines);
  const Parts parts = split_unit(line);
  result.cell.token = line.empty() ? std::string_view("empty") : line.substr(0, 60);
  if (parts.number.empty()) return result;
  result.factor = column.to_base;
  if (!parts.unit.empty()) {
    const auto factor = factor_of_unit(parts.unit);
    if (!factor) return result;
    result.factor = *factor;
    result.cell.had_unit = true;
    if (memo != nullptr) *memo = {std::string(parts.unit), *factor};
  }
  result.number = parts.number;
  if (decimal_comma || is_decimal_comma(result.number)) {
    std::replace(result.number.begin(), result.number.end(), ',', '.');
  }
  result.valid = true;
  return result;
}

/// "126.96" or, with the column's usual unit, "126.96 W": nearly every cell, so it has a way of its own. Up to 15
/// digits are exact in a double, and so is their division by a power of ten.
struct PlainNumber {
  std::uint64_t digits = 0;
  int decimals = 0;
  double factor = 1;
  bool had_unit = false;

  double value() const {
    static constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    return static_cast<double>(digits) / powers.at(static_cast<std::size_t>(decimals));
  }
};

std::optional<PlainNumber> plain_number(std::string_view text, const Column& column, const UnitMemo* memo) {
  text = trim(text);
  PlainNumber number;
  std::size_t at = 0;
  int count = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      number.digits = number.digits * 10 + static_cast<std::uint64_t>(c - '0');
      number.decimals += point ? 1 : 0;
      if (++count > 15) return std::nullopt;
    } else if (c == '.' && !point && count > 0) {
      point = true;
    } else {
      break;
    }
  }
  if (count == 0) return std::nullopt;
  number.factor = column.to_base;
  if (at == text.size()) return number;
  if (memo == nullptr || memo->unit.empty() || text[at] != ' ' || text.substr(at + 1) != memo->unit)
    return std::nullopt;
  number.factor = memo->factor;
  number.had_unit = true;
  return number;
}

std::optional<std::int64_t> exact_energy(std::string_view number, double factor) {
  if (factor == 1.0) return parse_scaled(number, 0);
  if (factor == 1e3) return parse_scaled(number, 3);
  if (factor == 1e6) return parse_scaled(number, 6);
  if (factor == 1e-3) return parse_scaled(number, -3);
  if (const auto value = parse_double(number); value && std::abs(*value * factor) < 9e18) {
    return static_cast<std::int64_t>(std::llround(*value * factor));
  }
  return std::nullopt;
}

bool is_wrapped(std::string_view number) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size()) return false;
  if (error == std::errc::result_out_of_range) return true;
  // DCGM's 64-bit blanks are the 16 values from 2^63 - 16 on; what lies above 2^63 has a sign that got lost.
  return error == std::errc{} && value > (std::uint64_t{1} << 63U);
}

}  // namespace

CellValue read_number(std::string_view text, const Column& column, bool decimal_comma, UnitMemo* memo) {
  if (const auto plain = plain_number(text, column, memo)) {
    CellValue cell;
    const double value = plain->value();
    cell.kind = is_dcgm_blank(value) ? CellKind::sentinel : CellKind::number;
    cell.value = value * plain->factor;
    cell.had_unit = plain->had_unit;
    return cell;
  }
  Prepared prepared = prepare(text, column, decimal_comma, memo);
  if (!prepared.valid) return prepared.cell;
  const auto value = parse_double(prepared.number);
  if (!value) return prepared.cell;
  prepared.cell.kind = is_dcgm_blank(*value) ? CellKind::sentinel : CellKind::number;
  prepared.cell.value = *value * prepared.factor;
  return prepared.cell;
}

CellValue read_energy(std::string_view text, const Column& column, bool decimal_comma, UnitMemo* memo) {
  // Below 10^14 no number means anything but itself.
  const auto plain = plain_number(text, column, memo);
  if (plain && plain->decimals == 0 && plain->factor == 1.0 && plain->digits < 100'000'000'000'000) {
    CellValue cell;
    cell.kind = CellKind::number;
    cell.energy_mj = static_cast<std::int64_t>(plain->digits);
    cell.had_unit = plain->had_unit;
    return cell;
  }
  Prepared prepared = prepare(text, column, decimal_comma, memo);
  if (!prepared.valid) return prepared.cell;
  if (is_wrapped(prepared.number)) {
    prepared.cell.kind = CellKind::wrapped;
    return prepared.cell;
  }
  const auto rough = parse_double(prepared.number);
  if (!rough) return prepared.cell;
  // 2^31 - 16 mJ is an ordinary reading, 2.1 MJ; the other blanks are not.
  if (*rough > 4e9 && is_dcgm_blank(*rough)) {
    prepared.cell.kind = CellKind::sentinel;
    return prepared.cell;
  }
  const auto energy = exact_energy(prepared.number, prepared.factor);
  if (!energy) return prepared.cell;
  prepared.cell.kind = *energy < 0 ? CellKind::wrapped : CellKind::number;
  prepared.cell.energy_mj = *energy;
  return prepared.cell;
}

CellValue read_cell(std::string_view text, const Column& column, bool decimal_comma, UnitMemo* memo) {
  if (column.role == ColumnRole::energy) return read_energy(text, column, decimal_comma, memo);
  if (column.role != ColumnRole::event_reasons) return read_number(text, column, decimal_comma, memo);
  CellValue cell;
  if (const auto bits = read_reasons(text)) {
    cell.kind = CellKind::number;
    cell.energy_mj = static_cast<std::int64_t>(*bits);
  }
  return cell;
}

std::optional<std::uint64_t> read_reasons(std::string_view text) {
  text = trim(text);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kernwatt::readers
