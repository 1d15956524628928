// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/readers/trace_format.hpp"

namespace kernwatt::readers {

Result<run::Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options) {
  KERNWATT_CHECK(check_trace_format(options));
  KERNWATT_TRY(const std::unique_ptr<ByteSource> source, ByteSource::open(path, Archives::admit));
  constexpr std::size_t block = 512;
  KERNWATT_TRY(const std::string_view head, source->peek(block));
  if (!is_archive(head)) return read_trace_input({*source, path.string(), path}, options);
  KERNWATT_TRY(std::vector<run::Trace> traces, read_traces(path, options));
  if (traces.size() == 1) return std::move(traces.front());
  return Error{
      ErrorCode::invalid_argument,
      fmt::format("is an archive of {} traces where one is wanted; unpack it and name one of them", traces.size()),
      path.string()};
}

}  // namespace kernwatt::readers
