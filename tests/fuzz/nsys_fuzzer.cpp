// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/nsys/nsys.hpp"
#include "tests/fuzz/trace_checks.hpp"

using namespace kernwatt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto source = readers::ByteSource::from_memory(std::string(data, data + size));
  if (!source) return 0;
  const auto trace = readers::read_nsys(**source, "fuzz", {});
  if (!trace) {
    fuzz::require(!trace.error().message.empty());
    return 0;
  }
  fuzz::check(*trace);
  return 0;
}
