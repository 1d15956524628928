// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/quality_ledger.hpp"
#include "kernwatt/run/attribution.hpp"

/// What changed from one Run to another: plain data that the reports print (docs/json.md, kind "comparison").
namespace kernwatt::run {

/// What energies and times are divided by on each side, so that recordings of different length can be compared.
enum class ComparedPer : std::uint8_t { recording, iteration, token };
/// "recording", "iteration", "token"
std::string_view to_string(ComparedPer per);

/// How a row of one Run was found in the other.
enum class Match : std::uint8_t {
  same,         ///< same name, same launch shape
  other_shape,  ///< same name, another grid or block
  renumbered,   ///< same name but for the running numbers of generated code
  same_role,    ///< another name, but alone with its category, its launches and about its share
  same_order,   ///< layers of other names, at the same place
  gone,         ///< in the first only
  appeared      ///< in the second only
};
/// "same", "other-shape", "renumbered", "same-role", "same-order", "gone", "new"
std::string_view to_string(Match match);

/// A figure with its 95 % interval, as far as known.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> ci95;
};

/// One side of a row, divided as Comparison::per says.
struct ComparedFigures {
  std::string name;
  std::string detail;
  double launches = 0;
  Estimate energy_j;
  Estimate time_s;
};

/// The change of a figure: second - first. The interval takes the two as independent.
struct Change {
  Estimate difference;
  std::optional<double> relative;  ///< of the first; empty where that is 0
  bool certain = false;            ///< the interval excludes 0 (a figure without an interval is taken as exact)
};

struct ComparedRow {
  View view = View::kernel_class;
  Match match = Match::same;
  std::string category;  ///< of a class; else empty
  std::optional<ComparedFigures> before;
  std::optional<ComparedFigures> after;
  std::optional<Change> energy_j;  ///< a side that is not there counts as 0
  std::optional<Change> time_s;
};

/// One of the two Runs.
struct ComparedRun {
  std::string file;
  std::string command_line;
  std::string tool_version;
  std::int64_t created_ns = 0;
  std::string source;  ///< of the energy, as in EnergyAccount
  std::vector<std::string> gpus;
  std::optional<double> total_j;      ///< not divided
  std::optional<double> recording_s;  ///< length of the recording
  std::uint64_t iterations = 0;
  std::optional<double> tokens_per_iteration;
  double energy_divisor = 1;  ///< what the energies of rows were divided by
  double time_divisor = 1;    ///< what times and launches were divided by: the readings may cover a part of the trace
};

struct Comparison {
  ComparedRun before;
  ComparedRun after;
  ComparedPer per = ComparedPer::recording;
  ComparedRow total;              ///< energy with idle and unattributed; time of an iteration, or of the recording
  std::vector<ComparedRow> rows;  ///< all views but iterations; per view the largest change first
  QualityLedger quality;
};

}  // namespace kernwatt::run
