// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/kernel_csv/kernel_csv.hpp"

using namespace kernwatt;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto source = readers::ByteSource::from_memory(std::string(data, data + size));
  if (!source) return 0;
  const auto trace = readers::read_kernel_csv(**source, "fuzz", {});
  if (!trace) {
    require(!trace.error().message.empty());
    return 0;
  }
  std::int64_t last = INT64_MIN;
  for (const run::Launch& launch : trace->launches) {
    require(launch.start_ns >= last && launch.duration_ns >= 0 && launch.end_ns() >= launch.start_ns);
    require(launch.kernel_class < trace->classes.size() && launch.stream < trace->streams.size());
    require(launch.call == run::none || trace->calls.at(launch.call).site < trace->sites.size());
    require(launch.iteration == run::none || launch.iteration < trace->iteration_marks.size());
    require(trace->streams[launch.stream].gpu < trace->gpus.size());
    last = launch.start_ns;
  }
  for (const run::KernelClass& c : trace->classes) require(c.name < trace->names.size());
  return 0;
}
