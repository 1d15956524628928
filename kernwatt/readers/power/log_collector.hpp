// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/power/gpu_rows.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// One value that a log gives for a GPU. The column says what it is; it outlives the reading.
struct Reading {
  const Column* column = nullptr;
  CellValue value;
};

/// Gathers the readings of formats that are no tables of separated values, GPU by GPU, and makes the log of them.
class LogCollector {
 public:
  explicit LogCollector(std::string_view format) : format_(format) {}

  /// The GPU's place among those seen. One board is one GPU: told by its UUID, else its PCI bus id, else its index (or
  /// its name) on its host.
  std::size_t gpu(const run::GpuIdentity& identity);
  run::GpuIdentity& identity(std::size_t gpu) { return gpus_[gpu].power.gpu; }

  /// What one GPU said at one instant; without a time where the file gives none.
  void add(std::size_t gpu, const std::optional<Timestamp>& stamp, std::span<const Reading> readings);

  std::uint64_t rows() const { return rows_; }
  std::size_t gpus() const { return gpus_.size(); }
  QualityLedger& quality() { return quality_; }
  std::vector<run::SupportedClocks>& supported_clocks() { return clocks_; }
  std::vector<run::RecordedTotal>& totals() { return totals_; }

  /// Repairs what was gathered and ends the log. Errors: bad_data when nothing was gathered; `nothing` says what the
  /// file lacks.
  Result<run::PowerLog> finish(std::string file, bool format_was_given, ByteSource& source, std::string_view nothing);

 private:
  void note_source(const std::string& header);
  void drop_rows_without_time();

  std::string format_;
  std::vector<GpuRows> gpus_;
  std::unordered_map<std::string, std::size_t> index_of_key_;
  std::vector<run::SupportedClocks> clocks_;
  std::vector<run::RecordedTotal> totals_;
  QualityLedger quality_;
  TimeFacts time_;
  std::uint64_t rows_ = 0;
  std::vector<std::string> sources_;  // the names of the columns that gave power or energy
};

/// "U+0" of zeros, "N/A", "[N/A]", "-": says nothing about which GPU is meant.
bool names_nothing(std::string_view text);

}  // namespace kernwatt::readers
