// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// How fast power logs in tables are read: MB/s on one thread, beside a plain loop of getline and strtod over the same
// file. Usage: bench_read_power FILE [FILE…] | --generate FILE ROWS GPUS
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernwatt/readers/read.hpp"

namespace {

constexpr int repeats = 7;

// nvidia-smi's query of eight columns, in its own format.
int generate(const char* path, long rows, long gpus) {
  std::ofstream out(path);
  out << "timestamp, index, power.draw.instant [W], power.draw [W], clocks.current.sm [MHz], temperature.gpu, "
         "utilization.gpu [%], enforced.power.limit [W]\n";
  for (long i = 0; i < rows; ++i) {
    const long second = i / 50;
    for (long gpu = 0; gpu < gpus; ++gpu) {
      const long centiwatts = 30'000 + (i * 7919 + gpu * 104'729) % 40'000;
      out << fmt::format(
          "2026/01/{:02} {:02}:{:02}:{:02}.{:03}, {}, {}.{:02} W, {}.{:02} W, {} MHz, {}, {} %, 700.00 W\n",
          5 + second / 86400 % 20, second / 3600 % 24, second / 60 % 60, second % 60, i % 50 * 20, gpu,
          centiwatts / 100, centiwatts % 100, centiwatts / 101, centiwatts % 101 % 100, 1200 + i % 50 * 15, 40 + i % 30,
          i % 101);
    }
  }
  return 0;
}

// The peer: what a careful script does, without time zones, units, gaps, or any check.
double plain_loop(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::vector<double> values;
  while (std::getline(in, line)) {
    const char* at = line.c_str();
    while (*at != '\0') {
      char* end = nullptr;
      values.push_back(std::strtod(at, &end));
      while (*end != '\0' && *end != ',') ++end;
      at = *end == ',' ? end + 1 : end;
    }
  }
  return static_cast<double>(values.size());
}

template <class Work>
double median_seconds(Work work) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

void measure(const std::string& path) {
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;
  double kept = 0;
  std::size_t rows = 0;
  const double ours = median_seconds([&] {
    const auto log = kernwatt::readers::read_power_log(path);
    if (!log) {
      fmt::print(stderr, "{}\n", log.error().text());
      std::exit(1);
    }
    rows = 0;
    for (const auto& gpu : log->gpus) rows += gpu.rows;
  });
  const double plain = median_seconds([&] { kept += plain_loop(path); });
  fmt::print(
      "{}: {:.1f} MB, {} rows; kernwatt {:.0f} MB/s, getline and strtod {:.0f} MB/s, ratio {:.2f} (medians of {})\n",
      path, megabytes, rows, megabytes / ours, megabytes / plain, plain / ours, repeats);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--generate") {
    return generate(argv[2], std::strtol(argv[3], nullptr, 10), std::strtol(argv[4], nullptr, 10));
  }
  for (int i = 1; i < argc; ++i) measure(argv[i]);
  return argc > 1 ? 0 : 1;
}
