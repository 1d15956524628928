// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

// Prints how long the GPU of a trace was busy: the smallest use of the installed library.
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include "kernwatt/attribution/attribute.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/report/json/attribution_json.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: busy_time TRACE\n";
    return 2;
  }
  auto trace = kernwatt::readers::read_trace(argv[1]);
  if (!trace) {
    std::cerr << trace.error().message << '\n';
    return 1;
  }
  std::int64_t busy_ns = 0;
  for (const auto& launch : trace->launches) busy_ns += launch.duration_ns;
  std::cout << trace->launches.size() << " launches, busy " << busy_ns << " ns\n";

  std::vector<kernwatt::run::Trace> traces;
  traces.push_back(std::move(*trace));
  const auto run = kernwatt::attribution::attribute(std::move(traces), {}, {});
  if (!run) {
    std::cerr << run.error().message << '\n';
    return 1;
  }
  return 0;
}
