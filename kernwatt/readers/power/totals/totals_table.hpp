// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/power_log.hpp"

namespace kernwatt::readers {

/// The columns of a table by name, and one of its rows.
class TotalsRow {
 public:
  explicit TotalsRow(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const { return place(name).has_value(); }

  /// False when the row has another number of cells than there are names.
  bool take(std::span<const std::string_view> cells);
  /// Empty text, or no number, where the row has none.
  std::string_view text(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;

 private:
  std::optional<std::size_t> place(std::string_view name) const;
  std::vector<std::string> names_;
  std::span<const std::string_view> cells_;
};

/// Makes totals of the rows of one format, and says at the end what is odd about them.
class TotalsFormat {
 public:
  TotalsFormat() = default;
  TotalsFormat(const TotalsFormat&) = delete;
  TotalsFormat& operator=(const TotalsFormat&) = delete;
  virtual ~TotalsFormat() = default;
  /// False when the row has nothing to say.
  virtual bool row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) = 0;
  virtual void notes(QualityLedger& quality) const = 0;
};

/// Zeus' measurement windows: start_time, window_name, elapsed_time in s and gpuN_energy in J.
class ZeusWindows final : public TotalsFormat {
 public:
  bool row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) override;
  void notes(QualityLedger& quality) const override;

 private:
  std::uint64_t without_energy_ = 0;
};

/// The summaries beside the Zeus paper: mean power and time per epoch by job and power limit.
class ZeusSummary final : public TotalsFormat {
 public:
  bool row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) override;
  void notes(QualityLedger& quality) const override;
};

/// CodeCarbon's emissions.csv: a row per run, energies in kWh.
class CodeCarbonRuns final : public TotalsFormat {
 public:
  bool row(const TotalsRow& row, std::vector<run::RecordedTotal>& totals) override;
  void notes(QualityLedger& quality) const override;

 private:
  void check_identity(const TotalsRow& row, std::string_view part);
  std::uint64_t rows_ = 0;
  std::uint64_t not_measured_ = 0;
  std::uint64_t without_gpu_ = 0;
  std::uint64_t machine_only_ = 0;
  std::uint64_t disagreeing_ = 0;
  std::string disagreeing_example_;
  bool gpu_example_ = false;
};

}  // namespace kernwatt::readers
