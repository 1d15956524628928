// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernwatt/readers/archive/archive_reader.hpp"
#include "kernwatt/readers/trace_format.hpp"
#include "tests/fuzz/trace_checks.hpp"

using namespace kernwatt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto source = readers::ByteSource::from_memory(std::string(data, data + size), readers::Archives::admit);
  if (!source) return 0;
  auto archive = readers::ArchiveReader::open(**source);
  if (!archive) return 0;
  constexpr int most_members = 64;
  for (int i = 0; i < most_members; ++i) {
    auto member = archive->next();
    if (!member || !*member) return 0;
    fuzz::require(((*member)->source != nullptr) != !(*member)->why_not.empty());
    if ((*member)->source == nullptr) continue;
    const auto trace = readers::read_trace_input({*(*member)->source, (*member)->name, std::nullopt}, {});
    if (trace) fuzz::check(*trace);
  }
  return 0;
}
