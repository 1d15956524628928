// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/power_guess.hpp"
#include "kernwatt/readers/power/power_reader.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers {

Result<run::PowerLog> read_power_log(const std::filesystem::path& path, const ReadOptions& options) {
  const auto formats = power_formats();
  if (!options.format.empty() && std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    return Error{
        ErrorCode::invalid_argument,
        fmt::format("there is no power log format \"{}\"; accepted are {}", options.format, accepted_power_formats()),
        path.string()};
  }
  KERNWATT_TRY(const std::unique_ptr<ByteSource> source, ByteSource::open(path));
  return read_power(*source, path.string(), options.format, options.progress);
}

}  // namespace kernwatt::readers
