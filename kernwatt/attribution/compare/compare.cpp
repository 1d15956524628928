// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernwatt/attribution/compare/compared_side.hpp"
#include "kernwatt/attribution/compare/match_rows.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double z95 = 1.96;

constexpr std::array compared_views{run::View::kernel_class, run::View::operator_, run::View::layer, run::View::phase,
                                    run::View::category};

/// "counter" of "counter, interpolated at the ends".
std::string kind_of(const std::string& source) { return source.substr(0, source.find(',')); }

run::Interval around(double value, double half) { return {value - half, value + half}; }

run::Estimate divided(const std::optional<double>& value, const std::optional<double>& variance, double divisor) {
  run::Estimate estimate;
  if (!value) return estimate;
  estimate.value = *value / divisor;
  if (variance) estimate.ci95 = around(*estimate.value, z95 * std::sqrt(*variance) / divisor);
  return estimate;
}

double half_of(const run::Estimate& estimate) {
  return estimate.ci95 ? (estimate.ci95->high - estimate.ci95->low) / 2 : 0;
}

/// A side that is not there did nothing.
run::Change change_between(const run::Estimate& before, const run::Estimate& after) {
  run::Change change;
  const double first = before.value.value_or(0);
  const double difference = after.value.value_or(0) - first;
  change.difference.value = difference;
  const double half = std::hypot(half_of(before), half_of(after));
  if (before.ci95 || after.ci95) change.difference.ci95 = around(difference, half);
  if (first != 0) change.relative = difference / first;
  change.certain = std::abs(difference) > half;
  return change;
}

class Comparer {
 public:
  Comparer(const run::Run& before, const run::Run& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {}

  Result<run::Comparison> compare() {
    out_.before = before_.summary(options_.before_file);
    out_.after = after_.summary(options_.after_file);
    KERNWATT_CHECK(check_sources());
    check_gpus();
    choose_divisors();
    for (const run::View view : compared_views) add_view(view);
    add_total();
    return std::move(out_);
  }

 private:
  Status check_sources() {
    const std::string first = kind_of(out_.before.source);
    const std::string second = kind_of(out_.after.source);
    const bool first_has = out_.before.total_j.has_value();
    const bool second_has = out_.after.total_j.has_value();
    has_energy_ = first_has && second_has;
    if (first_has != second_has)
      out_.quality.add("compare.time-only", Severity::warning,
                       fmt::format("{} has no energy, so only times are compared",
                                   first_has ? options_.after_file : options_.before_file));
    if (!has_energy_ || first == second) return {};
    const std::string what = fmt::format(
        "the energy of {} comes from {}, that of {} from {}; these differ by some per cent for the same work",
        options_.before_file, words_of(first), options_.after_file, words_of(second));
    if (!options_.allow_mixed_sources)
      return Error{ErrorCode::invalid_argument, what + "; --allow-mixed-sources compares them all the same", ""};
    out_.quality.add("compare.mixed-sources", Severity::warning, what);
    return {};
  }

  static std::string words_of(const std::string& source) {
    if (source == "counter") return "the energy counter";
    if (source == "power") return "an integral of power readings";
    return source;
  }

  void check_gpus() {
    if (out_.before.gpus.empty() || out_.after.gpus.empty() || out_.before.gpus == out_.after.gpus) return;
    out_.quality.add("compare.other-gpus", Severity::warning,
                     fmt::format("the GPUs differ: {} × {} and {} × {}", out_.before.gpus.size(),
                                 out_.before.gpus.front(), out_.after.gpus.size(), out_.after.gpus.front()));
  }

  void choose_divisors() {
    const std::optional<Divisors> first = before_.iterations();
    const std::optional<Divisors> second = after_.iterations();
    if (!first || !second) return note_lengths();
    out_.per = run::ComparedPer::iteration;
    double first_tokens = 1;
    double second_tokens = 1;
    const auto& mine = out_.before.tokens_per_iteration;
    const auto& theirs = out_.after.tokens_per_iteration;
    if (mine && theirs && std::abs(*mine / *theirs - 1) > 1e-3) {
      out_.per = run::ComparedPer::token;
      first_tokens = *mine;
      second_tokens = *theirs;
    }
    out_.before.energy_divisor = first->energy * first_tokens;
    out_.before.time_divisor = first->time * first_tokens;
    out_.after.energy_divisor = second->energy * second_tokens;
    out_.after.time_divisor = second->time * second_tokens;
    first_tokens_ = first_tokens;
    second_tokens_ = second_tokens;
  }

  void note_lengths() {
    const auto& first = out_.before.recording_s;
    const auto& second = out_.after.recording_s;
    if (!first || !second || *first <= 0 || std::abs(*second / *first - 1) < 0.02) return;
    out_.quality.add(
        "compare.not-normalised", Severity::warning,
        fmt::format("no iterations were found in {}, so the recordings are compared as they are; they last "
                    "{:.3g} s and {:.3g} s, and much of the difference says only that",
                    before_.iterations()  ? "the second"
                    : after_.iterations() ? "the first"
                                          : "both",
                    *first, *second));
  }

  run::ComparedFigures figures(const SideRow& row, const run::ComparedRun& side) const {
    run::ComparedFigures figures;
    figures.name = row.name;
    figures.detail = row.detail;
    figures.launches = row.launches / side.time_divisor;
    if (has_energy_) figures.energy_j = divided(row.energy_j, row.energy_variance_j2, side.energy_divisor);
    figures.time_s = divided(row.time_s, row.time_variance_s2, side.time_divisor);
    return figures;
  }

  void add_view(run::View view) {
    const std::vector<SideRow> mine = before_.rows(view);
    const std::vector<SideRow> theirs = after_.rows(view);
    const std::vector<RowPair> pairs =
        view == run::View::kernel_class
            ? match_classes(mine, theirs, out_.after.time_divisor / out_.before.time_divisor)
            : match_named(view, mine, theirs);
    note_guesses(view, pairs);
    const std::size_t first = out_.rows.size();
    for (const RowPair& pair : pairs) out_.rows.push_back(row_of(view, pair, mine, theirs));
    const auto size = [&](const run::ComparedRow& row) {
      const std::optional<run::Change>& change = has_energy_ ? row.energy_j : row.time_s;
      return change && change->difference.value ? std::abs(*change->difference.value) : 0.0;
    };
    std::stable_sort(out_.rows.begin() + static_cast<std::ptrdiff_t>(first), out_.rows.end(),
                     [&](const auto& a, const auto& b) { return size(a) > size(b); });
  }

  run::ComparedRow row_of(run::View view, const RowPair& pair, const std::vector<SideRow>& mine,
                          const std::vector<SideRow>& theirs) const {
    run::ComparedRow row;
    row.view = view;
    row.match = pair.match;
    if (pair.before) row.before = figures(mine[*pair.before], out_.before);
    if (pair.after) row.after = figures(theirs[*pair.after], out_.after);
    row.category = pair.before ? mine[*pair.before].category : theirs[*pair.after].category;
    add_changes(row);
    return row;
  }

  void add_changes(run::ComparedRow& row) const {
    const run::Estimate nothing;
    const auto side = [&](const std::optional<run::ComparedFigures>& figures, auto member) {
      return figures ? (*figures).*member : nothing;
    };
    const auto of = [&](auto member) { return change_between(side(row.before, member), side(row.after, member)); };
    row.time_s = of(&run::ComparedFigures::time_s);
    const bool unknown = (row.before && !row.before->energy_j.value) || (row.after && !row.after->energy_j.value);
    if (has_energy_ && !unknown) row.energy_j = of(&run::ComparedFigures::energy_j);
  }

  void note_guesses(run::View view, const std::vector<RowPair>& pairs) {
    const auto count = [&](run::Match match) {
      return static_cast<std::uint64_t>(
          std::count_if(pairs.begin(), pairs.end(), [&](const RowPair& pair) { return pair.match == match; }));
    };
    if (view == run::View::kernel_class && count(run::Match::same_role) > 0)
      out_.quality.add("compare.matched-by-role", Severity::info,
                       "kernel classes with different names were taken for each other: each is the only one of its "
                       "category with this number of launches, and weighs about the same",
                       count(run::Match::same_role));
    if (view == run::View::kernel_class && count(run::Match::renumbered) > 0)
      out_.quality.add("compare.renumbered", Severity::info,
                       "generated kernels whose names differ in their running numbers only were taken for each other",
                       count(run::Match::renumbered));
    if (view == run::View::layer && count(run::Match::same_order) > 0)
      out_.quality.add("compare.layers-by-order", Severity::info,
                       "the two name their layers differently; they were matched in their order",
                       count(run::Match::same_order));
  }

  /// An iteration with its idle time, where there are iterations; else all that was recorded.
  run::ComparedFigures total_of(const ComparedSide& side, const run::ComparedRun& summary, double tokens) const {
    run::ComparedFigures total;
    total.name = "total";
    const run::IterationSummary& iterations = side.run().attribution.iterations;
    for (const SideRow& row : side.rows(run::View::kernel_class)) total.launches += row.launches / summary.time_divisor;
    if (out_.per == run::ComparedPer::recording) {
      if (has_energy_) total.energy_j.value = summary.total_j;
      total.time_s.value = summary.recording_s;
      return total;
    }
    if (iterations.period_s) total.time_s.value = *iterations.period_s / tokens;
    if (!has_energy_) return total;
    total.energy_j.value =
        iterations.energy_j ? *iterations.energy_j / tokens : *summary.total_j / summary.energy_divisor;
    if (iterations.energy_j && iterations.energy_ci95_j)
      total.energy_j.ci95 =
          run::Interval{iterations.energy_ci95_j->low / tokens, iterations.energy_ci95_j->high / tokens};
    return total;
  }

  void add_total() {
    out_.total.before = total_of(before_, out_.before, first_tokens_);
    out_.total.after = total_of(after_, out_.after, second_tokens_);
    add_changes(out_.total);
    if (!out_.total.before->time_s.value || !out_.total.after->time_s.value) out_.total.time_s.reset();
  }

  ComparedSide before_;
  ComparedSide after_;
  const CompareOptions& options_;
  run::Comparison out_;
  bool has_energy_ = false;
  double first_tokens_ = 1;
  double second_tokens_ = 1;
};

}  // namespace

Result<run::Comparison> compare(const run::Run& before, const run::Run& after, const CompareOptions& options) {
  return Comparer(before, after, options).compare();
}

}  // namespace kernwatt::attribution
