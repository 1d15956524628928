// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

// bench_read_trace FILE [REPEATS]: how fast a trace is read, and in how much memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "kernwatt/readers/read.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_read_trace FILE [REPEATS]\n");
    return EXIT_FAILURE;
  }
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  double best = std::numeric_limits<double>::infinity();
  std::size_t launches = 0;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto trace = kernwatt::readers::read_trace(argv[1]);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!trace) {
      fmt::print(stderr, "{}\n", trace.error().text());
      return EXIT_FAILURE;
    }
    best = std::min(best, elapsed.count());
    launches = trace->launches.size();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  const double megabytes = static_cast<double>(std::filesystem::file_size(argv[1])) * 1e-6;
  fmt::print(
      "{{\"seconds\": {:.4f}, \"mb_per_s\": {:.1f}, \"file_mb\": {:.1f}, \"cpu_seconds\": {:.4f}, \"launches\": {}, "
      "\"peak_rss_mib\": "
      "{:.1f}}}\n",
      best, megabytes / best, megabytes, (seconds(usage.ru_utime) + seconds(usage.ru_stime)) / repeats, launches,
      static_cast<double>(usage.ru_maxrss) / 1024.0);
  return EXIT_SUCCESS;
}
