// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

inline constexpr std::string_view smi_xml_format = "nvidia-smi-xml";

/// Reads nvidia-smi -q -x, of all driver generations: one document, or one after the other as -l writes them. Nothing
/// outside the file is fetched, entities are refused, nesting is bounded.
/// Errors: io; bad_data (not such XML, no GPU in it, entities).
Result<run::PowerLog> read_smi_xml(ByteSource& source, const std::string& file, bool format_was_given,
                                   const Progress& progress);

}  // namespace kernwatt::readers
