// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/kineto/kineto.hpp"
#include "kernwatt/readers/kineto/structural_scan.hpp"
#include "kernwatt/readers/kineto/text_repair.hpp"
#include "tests/fuzz/trace_checks.hpp"

using namespace kernwatt;

namespace {

using fuzz::require;

/// All instruction sets must see the same brackets.
void compare_scans(std::string text) {
  using namespace readers::kineto;
  text.resize((text.size() / scan_block_size + 1) * scan_block_size, ' ');
  const std::size_t blocks = text.size() / scan_block_size;
  std::vector<ScannedBlock> expected(blocks);
  std::vector<ScannedBlock> got(blocks);
  ScanState last;
  available_scans().back().scan(text.data(), blocks, last, expected.data());
  for (const NamedScan& scan : available_scans()) {
    ScanState state;
    scan.scan(text.data(), blocks, state, got.data());
    require(state.in_string == last.in_string && state.escaped == last.escaped);
    for (std::size_t i = 0; i < blocks; ++i) {
      require(got[i].stops == expected[i].stops && got[i].opens == expected[i].opens);
      require(got[i].flags == expected[i].flags);
    }
  }
}

void check_names(const run::Trace& trace) {
  std::string repaired;
  for (std::uint32_t id = 0; id < trace.names.size(); ++id) {
    std::string quoted = "\"";
    for (const char byte : trace.names.at(id)) {
      if (byte == '"' || byte == '\\') quoted += '\\';
      quoted += byte;
    }
    const auto repairs = readers::kineto::repair_json(quoted + "\"", repaired);
    require(!repairs.invalid_utf8 && !repairs.control_characters);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  compare_scans(bytes);
  auto source = readers::ByteSource::from_memory(bytes);
  if (!source) return 0;
  const auto trace = readers::read_kineto(**source, "fuzz", {});
  if (trace) {
    fuzz::check(*trace);
    check_names(*trace);
    if (trace->launches.empty()) require(trace->quality.contains("trace.no-kernels"));
  } else {
    require(!trace.error().message.empty());
  }
  return 0;
}
