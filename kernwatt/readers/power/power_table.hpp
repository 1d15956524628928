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

#include "kernwatt/readers/power/gpu_rows.hpp"
#include "kernwatt/readers/power/row_positions.hpp"

namespace kernwatt::readers {

/// Collects the rows of a power log by GPU.
class PowerTable {
 public:
  explicit PowerTable(bool decimal_comma) : decimal_comma_(decimal_comma) {}
  /// The columns of the rows that follow. Called again when a log repeats its header.
  void bind(ColumnLayout layout);
  const ColumnLayout& layout() const { return layout_; }

  enum class Added : std::uint8_t { yes, no_time, torn };
  /// last_unterminated: no line end follows, so the row may have lost its end.
  Added add(std::span<const std::string_view> cells, bool last_unterminated);

  const TimeFacts& time_facts() const { return time_facts_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t short_rows() const { return short_rows_; }
  std::uint64_t long_rows() const { return long_rows_; }
  std::uint64_t several_lines() const { return several_lines_; }
  bool unit_known() const { return power_unit_known_; }
  bool energy_unit_known() const { return energy_unit_known_; }

  /// Rows that nothing tells apart but their place among rows of the same instant: whether every instant has the same
  /// number of them, which is then the number of GPUs.
  bool by_position() const;
  /// Whether no column names a GPU.
  bool anonymous() const { return !identified_; }
  /// Takes the GPUs' rows. Rows of one instant that carry one and the same number are those of as many GPUs when every
  /// instant has as many and no other number is in the log; else they are one GPU's.
  std::vector<GpuRows> take();
  /// After take(): GPUs that their common number did not tell apart.
  std::uint64_t under_one_number() const { return under_one_number_; }
  /// Whether a number alone names the (only) GPU.
  bool one_number() const { return identified_ && numbered_.size() == 1 && numbered_.front().by_number; }

 private:
  std::optional<Timestamp> time_of(std::span<const std::string_view> cells);
  GpuRows& gpu_of(std::span<const std::string_view> cells, std::int64_t ns);
  GpuRows& gpu_by_key(const std::string& key);
  std::string key_of(std::span<const std::string_view> cells, bool& by_number) const;
  GpuRows& at_position(std::int64_t ns);
  GpuRows* expected_gpu(std::span<const std::string_view> cells);
  GpuRows& anonymous_gpu(std::int64_t ns);
  void identify(std::span<const std::string_view> cells, run::GpuIdentity& gpu) const;
  void note_index(std::span<const std::string_view> cells, GpuRows& gpu) const;
  bool is_torn(std::span<const std::string_view> cells) const;
  void add_row(GpuRows& gpu, std::span<const std::string_view> cells, const Timestamp& stamp,
               std::span<const std::size_t> columns);
  void add_wide(std::span<const std::string_view> cells, const Timestamp& stamp);
  void note_unit(std::size_t at, const CellValue& value);

  /// A GPU of a wide log and the columns about it.
  struct Device {
    std::string name;
    std::string host;
    std::string key;
    std::vector<std::size_t> columns;
  };

  bool decimal_comma_;
  ColumnLayout layout_;
  std::vector<UnitMemo> units_;
  std::vector<bool> cells_had_unit_;
  std::vector<bool> only_power_;              // columns without which a row has no power
  std::vector<std::size_t> reading_columns_;  // those with values to keep
  std::vector<std::size_t> identity_columns_;
  bool has_power_ = false;
  bool has_energy_ = false;
  bool has_gpu_and_index_ = false;
  std::vector<Device> devices_;
  TimestampReader time_reader_;
  std::unordered_map<std::string, std::size_t> index_of_key_;
  std::vector<GpuRows> gpus_;
  std::vector<NumberedRows> numbered_;  // of each of gpus_
  std::uint64_t under_one_number_ = 0;
  // What the identity cells of each GPU said last, and whose row came last: rows mostly go round the GPUs in turn.
  std::vector<std::vector<std::string>> said_;
  std::size_t last_gpu_ = 0;
  TimeFacts time_facts_;
  std::uint64_t rows_ = 0;
  std::uint64_t short_rows_ = 0;
  std::uint64_t long_rows_ = 0;
  std::uint64_t several_lines_ = 0;
  bool power_unit_known_ = false;
  bool energy_unit_known_ = false;
  bool identified_ = false;
  InstantGroups groups_;  // in logs that name no GPU
};

}  // namespace kernwatt::readers
