// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/readers/power/log_collector.hpp"
#include "kernwatt/readers/power/prometheus/metric_name.hpp"

namespace kernwatt::readers {

/// Puts together the rows of logs that give one metric at a time: what one GPU's metrics say at one instant is a row.
/// A board that appears several times (under each pod that shares it, from two exporters) counts once.
class MetricRows {
 public:
  explicit MetricRows(LogCollector& log) : log_(log) {}

  /// Remembers a metric's meaning; false when it means nothing to us. `column` stays valid.
  bool find(std::string_view metric, const Column*& column);
  /// `round` tells rounds without a time apart; with a time it plays no part.
  void add(const run::GpuIdentity& gpu, const Column& column, std::string_view text,
           const std::optional<Timestamp>& stamp, std::uint64_t round);
  /// A sample of a metric that means nothing to us: only that its value says "not supported" is counted.
  void ignore(std::string_view text);
  /// Hands what was added to the collector.
  void finish();

 private:
  struct Entry {
    std::uint32_t gpu = 0;
    std::uint32_t order = 0;  // in the file
    std::int64_t at = 0;      // time, or round
    std::optional<Timestamp> stamp;
    const Column* column = nullptr;
    CellValue value;
  };
  void note_repeated();
  void note_absent();

  LogCollector& log_;
  std::map<std::string, Column, std::less<>> columns_;
  std::map<std::string, std::uint64_t, std::less<>> tokens_;  // owns what missing values say
  std::vector<Entry> entries_;
  std::uint64_t sentinels_ = 0;  // of ignored metrics
  std::uint64_t nameless_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t disagreeing_ = 0;
};

}  // namespace kernwatt::readers
