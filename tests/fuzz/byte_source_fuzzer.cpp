// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/io/line_reader.hpp"

using namespace kernwatt;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::size_t most_bytes = std::size_t{8} << 20U;  // a few bytes may decompress to gigabytes

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  auto source = readers::ByteSource::from_memory(bytes);
  auto again = readers::ByteSource::from_memory(bytes);
  require(source.has_value() == again.has_value());
  if (!source) {
    require(!source.error().message.empty());
    return 0;
  }
  std::string text;
  std::string buffer(size % 4096 + 1, '\0');
  while (text.size() < most_bytes) {
    const auto got = (*source)->read(buffer);
    require(got.has_value());
    if (*got == 0) break;
    text.append(buffer, 0, *got);
  }
  readers::LineReader lines(**again, 1000);
  std::string_view line;
  std::size_t seen = 0;
  while (seen < text.size()) {
    const auto more = lines.next(line);
    require(more.has_value());
    if (!*more) break;
    require(lines.byte_offset() >= seen || seen == 0);
    require(line.size() <= 1000);
    seen = lines.byte_offset() + line.size();
    if (seen <= text.size()) require(text.compare(lines.byte_offset(), line.size(), line) == 0);
  }
  return 0;
}
