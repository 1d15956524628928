// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/power/cell_value.hpp"
#include "kernwatt/readers/power/power_columns.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// One GPU's rows as the file gave them, before anything was repaired.
struct GpuRows {
  run::GpuPower power;
  std::vector<std::int64_t> missing_power_ns;           ///< times of rows without a power (or energy)
  std::map<std::string, std::uint64_t> missing_tokens;  ///< what those rows said instead
  std::map<std::string, std::uint64_t> other_missing;   ///< header of another column -> cells without a value
  std::map<std::string, std::uint64_t> column_values;   ///< header -> cells with a value
  std::uint64_t sentinels = 0;
  std::uint64_t wrapped = 0;
  std::uint64_t module_readings = 0;
  std::uint64_t backward_steps = 0;
  std::int64_t largest_step_back_ns = 0;
  std::uint64_t index_disagrees = 0;  ///< rows whose columns "gpu" and "index" differ
  std::uint64_t clock_set_back = 0;   ///< civil time fell back by an hour
  // of the row before
  std::optional<std::int64_t> last_ns;
  std::int64_t last_step_ns = 0;
  std::int64_t shift_ns = 0;
};

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

  struct TimeFacts {
    std::uint64_t civil = 0, absolute = 0, relative = 0;
    std::uint64_t day_first = 0, month_first = 0, undecidable = 0;
  };
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
  std::vector<GpuRows> take();

 private:
  std::optional<Timestamp> time_of(std::span<const std::string_view> cells) const;
  GpuRows& gpu_of(std::span<const std::string_view> cells, std::int64_t ns);
  GpuRows& gpu_by_key(const std::string& key);
  void identify(std::span<const std::string_view> cells, run::GpuIdentity& gpu) const;
  void note_time(const Timestamp& stamp);
  std::int64_t place_in_time(GpuRows& gpu, const Timestamp& stamp) const;
  bool is_torn(std::span<const std::string_view> cells) const;
  void add_row(GpuRows& gpu, std::span<const std::string_view> cells, const Timestamp& stamp,
               std::optional<std::string_view> device);
  bool add_cell(GpuRows& gpu, std::string_view cell, std::size_t column, std::int64_t ns, std::string& missing);
  void add_number(GpuRows& gpu, const Column& column, double value, std::int64_t ns) const;
  void note_unit(std::size_t at, const CellValue& value);

  bool decimal_comma_;
  ColumnLayout layout_;
  std::vector<bool> cells_had_unit_;
  std::vector<bool> only_power_;      // columns without which a row has no power
  std::vector<std::string> devices_;  // of a wide log
  std::unordered_map<std::string, std::size_t> index_of_key_;
  std::vector<GpuRows> gpus_;
  TimeFacts time_facts_;
  std::uint64_t rows_ = 0;
  std::uint64_t short_rows_ = 0;
  std::uint64_t long_rows_ = 0;
  std::uint64_t several_lines_ = 0;
  bool power_unit_known_ = false;
  bool energy_unit_known_ = false;
  bool identified_ = false;
  // rows of one instant, in logs that name no GPU
  std::optional<std::int64_t> group_ns_;
  std::uint64_t group_size_ = 0;
  std::map<std::uint64_t, std::uint64_t> group_sizes_;
};

}  // namespace kernwatt::readers
