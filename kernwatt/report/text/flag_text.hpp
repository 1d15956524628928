// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/run/attribution.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// The row's flags as short marks that the legend explains: "c t3", or empty. Flags in `silent` are left out.
std::string flag_marks(const run::Row& row, const std::vector<std::string>& silent);

/// Flags that every one of the rows has: said once below the table. Empty for fewer than two rows.
std::vector<std::string> common_flags(const std::vector<const run::Row*>& rows);

struct FlagNote {
  std::string mark;  ///< empty for a flag of all rows
  std::string sentence;
};

/// What each flag of the rows means, in the order of their first use.
std::vector<FlagNote> flag_legend(const run::Attribution& attribution, const std::vector<const run::Row*>& rows,
                                  const std::vector<std::string>& common);

}  // namespace kernwatt::report
