// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kernwatt/report/text/bar.hpp"
#include "kernwatt/report/text/flag_text.hpp"
#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/text/shown_rows.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"
#include "kernwatt/run/combined_rows.hpp"

namespace kernwatt::report {
namespace {

using Cells = std::vector<std::string>;

std::string noun(run::View view) {
  return view == run::View::kernel_class ? "kernel class" : std::string(run::to_string(view));
}

/// The sum of rows that are not shown one by one.
run::Row sum_of(const std::vector<const run::Row*>& rows) {
  run::Row sum;
  for (const run::Row* row : rows) {
    sum.launches += row->launches;
    sum.time_s += row->time_s;
    if (row->energy_j) sum.energy_j = sum.energy_j.value_or(0) + *row->energy_j;
    if (row->share_of_total) sum.share_of_total = sum.share_of_total.value_or(0) + *row->share_of_total;
  }
  return sum;
}

std::string optional_share(const std::optional<double>& share) { return share ? share_text(*share) : ""; }

std::string optional_time(double seconds) { return seconds > 0 ? time_text(seconds) : ""; }

/// One table, filled line by line; the two kinds differ in their columns.
class RowsTable {
 public:
  RowsTable(const run::Attribution& attribution, const ShownRows& shown, run::View view, bool bars)
      : attribution_(attribution),
        shown_(shown),
        view_(view),
        has_energy_(attribution.total.total_j.has_value() || has(&run::Row::energy_j)),
        has_density_(has(&run::Row::j_per_flop)),
        common_(common_flags(shown.top)),
        has_marks_(std::any_of(shown.top.begin(), shown.top.end(),
                               [&](const run::Row* row) { return !flag_marks(*row, common_).empty(); })),
        bars_(bars),
        columns_(columns(view).size()),
        table_(columns(view)) {}

  std::string render(const TextOptions& options, const Style& style) {
    for (const run::Row* row : shown_.top) table_.add(cells(*row));
    if (!shown_.rest.empty()) {
      Cells more = cells(sum_of(shown_.rest));
      more.back() = fmt::format("… and {} more", shown_.rest.size());
      table_.add(std::move(more));
    }
    table_.add_rule();
    has_energy_ ? add_energy_totals() : add_time_total();
    name_rows(options.width);
    return table_.render(style) + legend(options, style);
  }

 private:
  template <class Member>
  bool has(Member member) const {
    return std::any_of(shown_.top.begin(), shown_.top.end(),
                       [&](const run::Row* row) { return (row->*member).has_value(); });
  }

  std::vector<Column> columns(run::View view) const {
    std::vector<Column> columns;
    if (has_energy_) {
      columns = {{"energy"}, {"", Align::left, 1}, {"", Align::right, 1}, {"", Align::left, 1}, {"share"}, {"time"},
                 {"power"}};
      if (has_density_) columns.push_back({"pJ/FLOP"});
    } else {
      columns = {{"time share"}, {"time"}, {"per launch"}};
    }
    columns.push_back({"launches"});
    if (has_marks_) columns.push_back({"", Align::left});
    if (bars_) columns.insert(columns.begin() + place_of_bar(), Column{"", Align::left});
    columns.push_back({noun(view), Align::left});
    return columns;
  }

  Cells cells(const run::Row& row) const {
    Cells cells = has_energy_ ? energy_cells(row) : time_cells(row);
    cells.push_back(row.launches > 0 ? count_text(row.launches) : "");
    if (has_marks_) cells.push_back(flag_marks(row, common_));
    if (bars_) cells.insert(cells.begin() + place_of_bar(), bar_of(row));
    cells.emplace_back();
    return cells;
  }

  /// After the share.
  std::ptrdiff_t place_of_bar() const { return has_energy_ ? 5 : 1; }

  /// As long as its share of the largest row's.
  std::string bar_of(const run::Row& row) const {
    constexpr std::size_t bar_width = 10;
    double largest = 0;
    for (const run::Row* other : shown_.top) largest = std::max(largest, other->share_of_total.value_or(0));
    const bool one_row = std::find(shown_.top.begin(), shown_.top.end(), &row) != shown_.top.end();
    return one_row && largest > 0 ? bar(row.share_of_total.value_or(0) / largest, bar_width) : "";
  }

  static Cells time_cells(const run::Row& row) {
    const std::string each = row.launches > 0 ? time_text(row.time_s / static_cast<double>(row.launches)) : "";
    return {optional_share(row.share_of_total), optional_time(row.time_s), each};
  }

  Cells energy_cells(const run::Row& row) const {
    Cells cells{"–", "", "", ""};
    if (row.energy_j) {
      const Measured energy = measured_energy(*row.energy_j, row.energy_ci95_j);
      cells = {energy.value, energy.half.empty() ? "" : "±", energy.half, std::string(energy.unit)};
    }
    cells.insert(cells.end(), {optional_share(row.share_of_total), optional_time(row.time_s),
                               row.power_w ? measured_power(*row.power_w, std::nullopt).text() : ""});
    if (has_density_) cells.push_back(row.j_per_flop ? three_digits(*row.j_per_flop * 1e12) : "");
    return cells;
  }

  void add_total(const std::string& value, std::string_view unit, double share, double time_s, std::string name) {
    Cells cells{value, "", "", std::string(unit), share_text(share)};
    if (bars_) cells.emplace_back();
    cells.push_back(optional_time(time_s));
    cells.resize(columns_);
    cells.back() = std::move(name);
    table_.add(std::move(cells));
  }

  /// Attributed, idle and unattributed in the unit and with the decimals of the total, so that they add up as shown.
  void add_energy_totals() {
    const run::EnergyAccount& account = attribution_.total;
    if (!account.total_j) return add_time_total();
    if (view_ == run::View::iteration) {  // idle time lies within them
      const Measured total = measured_energy(*account.total_j, std::nullopt);
      return add_total(total.value, total.unit, 1, 0, "total");
    }
    const Unit unit = energy_unit(*account.total_j);
    const double scaled = std::abs(*account.total_j) / unit.size;
    const int decimals = scaled < 10 ? 4 : scaled < 100 ? 3 : 2;
    const double step = unit.size * std::pow(10.0, -decimals);
    const auto steps = [&](const std::optional<double>& joules) { return std::round(joules.value_or(0) / step); };
    const auto text = [&](double count) { return fmt::format("{:.{}f}", count * step / unit.size + 0.0, decimals); };
    const double total = steps(account.total_j);
    const double idle = steps(account.idle_j);
    const double unattributed = steps(account.unattributed_j);
    const double share = *account.total_j != 0 ? 1 / *account.total_j : 0;
    if (account.attributed_j)
      add_total(text(total - idle - unattributed), unit.name, *account.attributed_j * share, 0, "attributed");
    if (account.idle_j) {
      add_total(text(idle), unit.name, *account.idle_j * share, sum_of(shown_.idle).time_s, "idle");
      add_idle_parts();
    }
    if (account.unattributed_j)
      add_total(text(unattributed), unit.name, *account.unattributed_j * share, 0, "unattributed");
    add_total(text(total), unit.name, 1, 0, "total");
  }

  /// What the idle energy consists of, each with its interval. With many GPUs their sum above has to do.
  void add_idle_parts() {
    constexpr std::size_t most = 6;
    if (shown_.idle.size() > most) return;
    for (const run::Row* row : shown_.idle) {
      Cells part = cells(*row);
      part.back() = "· " + origin_of(attribution_, *row) + printable(row->name);
      table_.add(std::move(part));
    }
  }

  void add_time_total() {
    std::vector<const run::Row*> all = shown_.top;
    all.insert(all.end(), shown_.rest.begin(), shown_.rest.end());
    Cells total = cells(sum_of(all));
    total.back() = "total";
    table_.add(std::move(total));
  }

  void name_rows(std::size_t width) {
    const std::size_t room = std::max<std::size_t>(table_.last_column_width(width), 16);
    const std::vector<std::string> labels =
        labels_of(attribution_, shown_.top, std::vector<std::size_t>(shown_.top.size(), room));
    for (std::size_t i = 0; i < labels.size(); ++i) table_.set_last(i, labels[i]);
  }

  std::string legend(const TextOptions& options, const Style& style) const {
    std::string text;
    for (const FlagNote& note : flag_legend(attribution_, shown_.top, common_)) {
      const std::string mark = note.mark.empty() ? "" : fmt::format("{:<4}", note.mark);
      bool first = true;
      for (const std::string& line : wrap(note.sentence, options.width - 2 - mark.size())) {
        text += "  " + style.dim((std::exchange(first, false) ? mark : std::string(mark.size(), ' ')) + line) + "\n";
      }
    }
    return text;
  }

  const run::Attribution& attribution_;
  const ShownRows& shown_;
  run::View view_;
  bool has_energy_;
  bool has_density_;
  std::vector<std::string> common_;
  bool has_marks_;
  bool bars_;
  std::size_t columns_;
  Table table_;
};

}  // namespace

std::string rows_section(const run::Run& run, const TextOptions& options, const Style& style) {
  // Explanations are about the rows of each GPU.
  const bool together = run.attribution.gpus.size() > 1 && !options.per_gpu && !options.explain;
  run::Attribution all;
  if (together) {
    all = run.attribution;
    all.rows = run::combined_rows(run.attribution);
  }
  const run::Attribution& attribution = together ? all : run.attribution;
  const ShownRows shown = shown_rows(attribution, options.view, options.top);
  if (shown.top.empty() && shown.rest.empty())
    return fmt::format("No {} was found in the trace, so there is no table by {}; --by class always has one.\n",
                       noun(options.view), run::to_string(options.view));
  const std::size_t count = shown.top.size() + shown.rest.size();
  std::string title = style.bold(fmt::format("By {}", noun(options.view)));
  if (together) title += fmt::format(", {} GPUs together", attribution.gpus.size());
  // Iterations come in the order of the program, and so do those that are left out.
  const std::string_view which = options.view == run::View::iteration ? "first" : "largest";
  if (!shown.rest.empty()) title += fmt::format(": the {} {} of {}", which, shown.top.size(), count);
  if (run.attribution.total.total_j) title += style.dim("  (± is half of the 95 % interval)");
  return title + "\n" + RowsTable(attribution, shown, options.view, options.bars).render(options, style);
}

}  // namespace kernwatt::report
