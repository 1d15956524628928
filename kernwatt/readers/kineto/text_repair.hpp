// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kernwatt::readers::kineto {

/// What had to be mended to make text JSON.
struct TextRepairs {
  bool control_characters = false;  ///< raw ones inside strings; now visible as \x01
  bool invalid_utf8 = false;        ///< bytes that are no UTF-8; now visible as \xff, so that names stay distinct
  bool backslashes = false;         ///< backslashes that begin no escape (Windows paths); now literal
  bool not_numbers = false;         ///< NaN and Infinity; now null
  bool any() const { return control_characters || invalid_utf8 || backslashes || not_numbers; }
};

/// Copies JSON text and mends the faults above; whatever else is wrong stays.
TextRepairs repair_json(std::string_view text, std::string& out);

/// Replaces control characters by visible text (\x01), so that names can be printed; false if there were none.
bool show_control_characters(std::string_view text, std::string& out);

struct JsonFault {
  std::size_t index = 0;  ///< of the byte that cannot stand where it does
  std::string_view expected;
};
/// Where text stops being JSON; empty when it is JSON as far as brackets, quotes, commas, colons and tokens go.
std::optional<JsonFault> find_json_fault(std::string_view text);

}  // namespace kernwatt::readers::kineto
