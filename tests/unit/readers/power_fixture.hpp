// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/power_math.hpp"
#include "kernwatt/readers/power/power_reader.hpp"
#include "kernwatt/readers/power/power_summary.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers {

inline std::filesystem::path shared_dir() {
  const char* const given = std::getenv("KERNWATT_SHARED_DIR");
  return given != nullptr ? std::filesystem::path(given) : std::filesystem::path(KERNWATT_SOURCE_DIR "/../shared");
}

/// A log and its summary, with both ledgers in one.
struct ReadLog {
  run::PowerLog log;
  std::vector<run::PowerSummary> summary;
  QualityLedger quality;

  const QualityEntry* entry(std::string_view id) const {
    const auto& all = quality.entries();
    const auto found = std::find_if(all.begin(), all.end(), [id](const QualityEntry& e) { return e.id == id; });
    return found == all.end() ? nullptr : &*found;
  }
  std::string message(std::string_view id) const { return entry(id) == nullptr ? "" : entry(id)->message; }
};

inline ReadLog summarised(run::PowerLog log) {
  ReadLog result{std::move(log), {}, {}};
  result.quality = result.log.quality;
  result.summary = summarise(result.log, result.quality);
  return result;
}

inline Result<run::PowerLog> try_text(std::string text, std::string_view format = {}) {
  KERNWATT_TRY(const auto source, ByteSource::from_memory(std::move(text)));
  return read_power(*source, "log.csv", format, {});
}

/// Reads a log that must be readable.
inline ReadLog read_text(std::string text, std::string_view format = {}) {
  auto log = try_text(std::move(text), format);
  if (!log) {
    ADD_FAILURE() << log.error().text();
    return {};
  }
  return summarised(std::move(*log));
}

inline ReadLog read_path(const std::filesystem::path& path) {
  auto log = read_power_log(path);
  if (!log) {
    ADD_FAILURE() << log.error().text();
    return {};
  }
  return summarised(std::move(*log));
}

/// What a GPU's readings add up to, for tests of how logs are read: two readings have an integral, though it is too
/// little to be called an energy (run/enough_readings.hpp).
inline double integral_j(const ReadLog& read, std::size_t gpu) {
  const PowerSensor sensor = sensor_for_energy(read.log.gpus.at(gpu));
  return sensor.series == nullptr ? 0 : integrate_j(*sensor.series);
}

#define KERNWATT_NEEDS_SHARED()                                                            \
  if (!std::filesystem::exists(kernwatt::readers::shared_dir() / "data")) {                \
    GTEST_SKIP() << "the shared recordings are not here; set KERNWATT_SHARED_DIR to them"; \
  }

}  // namespace kernwatt::readers
