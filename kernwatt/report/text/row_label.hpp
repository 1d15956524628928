// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Names of 400 characters in a column of 40. Private to this folder.
namespace kernwatt::report {

/// A C++ kernel name without what says nothing to its reader: "void ", the argument list, namespaces and
/// casts in front of template arguments. Other names come back as they are.
std::string readable_kernel_name(std::string_view name);

/// At most `width` columns: template arguments are folded to "…" from the inside, then the last of the outermost ones,
/// then the middle is cut out. Both ends stay.
std::string shorten_kernel_name(std::string_view readable, std::size_t width);

struct NamedRow {
  std::string name;       ///< as it is to be read, with nothing hidden in it
  std::string raw;        ///< the same before it was made readable
  std::string detail;     ///< more that tells rows of one name apart; may be empty
  std::uint32_t id = 0;   ///< told as "#id" where names alone cannot tell two rows apart
  std::size_t width = 0;  ///< columns that its label may take
};

/// One label for each row, no two the same: rows whose short names would be equal show the part in which they differ.
std::vector<std::string> distinct_labels(const std::vector<NamedRow>& rows);

}  // namespace kernwatt::report
