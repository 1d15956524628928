// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/power_sections.hpp"
#include "kernwatt/report/text/row_label.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

std::string per_text(run::ComparedPer per) {
  return per == run::ComparedPer::recording ? "" : fmt::format(" per {}", run::to_string(per));
}

std::string percent_text(const std::optional<double>& relative) {
  if (!relative || !std::isfinite(*relative)) return "";
  const double percent = *relative * 100;
  const std::string text = fmt::format("{:+.{}f} %", percent, std::abs(percent) < 99.95 ? 1 : 0);
  return text.find_first_of("123456789") == std::string::npos ? "0.0 %" : text;
}

std::string signed_text(Measured change, double value) {
  if (value > 0) change.value.insert(0, "+");
  return change.text();
}

std::string run_line(const run::ComparedRun& run) {
  std::string text = printable(run.file);
  if (run.total_j) text += ", " + energy_text(*run.total_j) + ", source: " + printable(run.source);
  if (run.recording_s) text += ", " + time_text(*run.recording_s);
  if (run.iterations > 0)
    text += fmt::format(", {} iteration{}", count_text(run.iterations), run.iterations == 1 ? "" : "s");
  return text;
}

std::string basis_text(const run::Comparison& comparison) {
  switch (comparison.per) {
    case run::ComparedPer::recording:
      return "the recordings as they are: there are no iterations to divide by";
    case run::ComparedPer::iteration:
      return "per iteration";
    case run::ComparedPer::token:
      return fmt::format("per token: an iteration has {} tokens before and {} after",
                         three_digits(*comparison.before.tokens_per_iteration),
                         three_digits(*comparison.after.tokens_per_iteration));
  }
  return "";
}

std::string total_energy(const run::Comparison& comparison) {
  const run::ComparedRow& total = comparison.total;
  if (!total.energy_j) return "not compared: one of the two has none";
  const run::Estimate& difference = total.energy_j->difference;
  std::string text = fmt::format(
      "{} → {}{}", measured_energy(*total.before->energy_j.value, total.before->energy_j.ci95).text(),
      measured_energy(*total.after->energy_j.value, total.after->energy_j.ci95).text(), per_text(comparison.per));
  text += ": " + percent_text(total.energy_j->relative) + " (" +
          signed_text(measured_energy_change(*difference.value, difference.ci95), *difference.value) + ")";
  if (!total.energy_j->certain) text += ", which may be no change at all";
  return text;
}

std::string total_time(const run::Comparison& comparison) {
  const run::ComparedRow& total = comparison.total;
  if (!total.time_s) return "unknown";
  return fmt::format("{} → {}{}: {}", time_text(*total.before->time_s.value), time_text(*total.after->time_s.value),
                     per_text(comparison.per), percent_text(total.time_s->relative));
}

std::string_view mark_of(run::Match match) {
  switch (match) {
    case run::Match::same:
      return "";
    case run::Match::other_shape:
      return "s";
    case run::Match::renumbered:
      return "#";
    case run::Match::same_role:
      return "~";
    case run::Match::same_order:
      return "o";
    case run::Match::gone:
      return "-";
    case run::Match::appeared:
      return "+";
  }
  return "";
}

struct MarkMeaning {
  run::Match match;
  std::string_view meaning;
};
constexpr std::array meanings{
    MarkMeaning{run::Match::appeared, "new: not in the first"},
    MarkMeaning{run::Match::gone, "gone: not in the second"},
    MarkMeaning{run::Match::other_shape, "same name, another launch shape"},
    MarkMeaning{run::Match::renumbered, "same name but for its running numbers"},
    MarkMeaning{run::Match::same_role,
                "another name in the second, taken for the same by category, launches and share"},
    MarkMeaning{run::Match::same_order, "another name in the second, taken for the same by its place"}};

const run::ComparedFigures& named_side(const run::ComparedRow& row) { return row.before ? *row.before : *row.after; }

class ChangesTable {
 public:
  ChangesTable(const run::Comparison& comparison, const TextOptions& options)
      : options_(options), has_energy_(comparison.total.energy_j.has_value()) {
    for (const run::ComparedRow& row : comparison.rows) {
      if (row.view != options.view) continue;
      if (rows_.size() < options.top) rows_.push_back(&row);
      ++count_;
    }
  }

  std::size_t count() const { return count_; }
  std::size_t shown() const { return rows_.size(); }

  std::string render(const Style& style) const {
    std::vector<Column> columns;
    if (has_energy_) columns = {{"change"}, {""}, {"before"}, {"after"}, {"time"}};
    if (!has_energy_) columns = {{"change"}, {""}, {"before"}, {"after"}};
    columns.push_back({"", Align::left});
    columns.push_back(
        {options_.view == run::View::kernel_class ? "kernel class" : std::string(run::to_string(options_.view)),
         Align::left});
    Table table(columns);
    for (const run::ComparedRow* row : rows_) table.add(cells(*row));
    name_rows(table);
    return table.render(style) + legend(style);
  }

 private:
  std::vector<std::string> cells(const run::ComparedRow& row) const {
    std::vector<std::string> cells = has_energy_ ? energy_cells(row) : time_cells(row);
    cells.emplace_back(mark_of(row.match));
    cells.emplace_back();
    return cells;
  }

  static std::vector<std::string> energy_cells(const run::ComparedRow& row) {
    const auto side = [](const std::optional<run::ComparedFigures>& figures) {
      return figures && figures->energy_j.value ? energy_text(*figures->energy_j.value) : std::string("–");
    };
    std::string change = "–";
    std::string relative;
    if (row.energy_j) {
      const run::Estimate& difference = row.energy_j->difference;
      change = signed_text(measured_energy_change(*difference.value, difference.ci95), *difference.value);
      relative = row.energy_j->certain ? percent_text(row.energy_j->relative)
                                       : "(" + percent_text(row.energy_j->relative) + ")";
      if (!row.energy_j->relative) relative.clear();
    }
    return {change, relative, side(row.before), side(row.after), row.time_s ? percent_text(row.time_s->relative) : ""};
  }

  static std::vector<std::string> time_cells(const run::ComparedRow& row) {
    const auto side = [](const std::optional<run::ComparedFigures>& figures) {
      return figures && figures->time_s.value ? time_text(*figures->time_s.value) : std::string("–");
    };
    const double difference = row.time_s ? row.time_s->difference.value.value_or(0) : 0;
    return {(difference > 0 ? "+" : "") + time_text(difference), row.time_s ? percent_text(row.time_s->relative) : "",
            side(row.before), side(row.after)};
  }

  void name_rows(Table& table) const {
    const std::size_t room = std::max<std::size_t>(table.last_column_width(options_.width), 16);
    std::vector<NamedRow> named;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const run::ComparedFigures& figures = named_side(*rows_[i]);
      const bool kernel = options_.view == run::View::kernel_class;
      named.push_back({printable(kernel ? readable_kernel_name(figures.name) : figures.name), printable(figures.name),
                       printable(figures.detail), static_cast<std::uint32_t>(i), room});
    }
    const std::vector<std::string> labels = distinct_labels(named);
    for (std::size_t i = 0; i < labels.size(); ++i) table.set_last(i, labels[i]);
  }

  std::string note(const Style& style, std::string_view mark, std::string_view meaning) const {
    std::string text;
    for (const std::string& line : wrap(meaning, options_.width - 6))
      text += "  " + style.dim(fmt::format("{:<4}", text.empty() ? mark : "") + line) + "\n";
    return text;
  }

  std::string legend(const Style& style) const {
    std::string text;
    for (const MarkMeaning& known : meanings) {
      const bool used =
          std::any_of(rows_.begin(), rows_.end(), [&](const auto* row) { return row->match == known.match; });
      if (used) text += note(style, mark_of(known.match), known.meaning);
    }
    const bool doubtful = std::any_of(rows_.begin(), rows_.end(), [](const auto* row) {
      return row->energy_j && !row->energy_j->certain && row->energy_j->relative;
    });
    if (doubtful) text += note(style, "( )", "the interval of the change includes 0");
    return text;
  }

  const TextOptions& options_;
  bool has_energy_;
  std::vector<const run::ComparedRow*> rows_;
  std::size_t count_ = 0;
};

}  // namespace

std::string comparison_text(const run::Comparison& comparison, const TextOptions& options) {
  TextOptions used = options;
  used.width = std::max<std::size_t>(options.width, 80);
  const Style style(used.colour);
  std::string text = labelled(style, "before", run_line(comparison.before), used.width);
  text += labelled(style, "after", run_line(comparison.after), used.width);
  text += labelled(style, "compared", basis_text(comparison), used.width);
  text += labelled(style, "energy", total_energy(comparison), used.width);
  text += labelled(style, "time", total_time(comparison), used.width);
  const ChangesTable table(comparison, used);
  const std::string view =
      used.view == run::View::kernel_class ? "kernel class" : std::string(run::to_string(used.view));
  if (table.count() == 0) {
    text += fmt::format("\nNeither has a {}, so there is no table by {}.\n", view, run::to_string(used.view));
  } else {
    std::string title = style.bold(fmt::format("By {}", view));
    if (table.shown() < table.count())
      title += fmt::format(": the {} largest changes of {}", table.shown(), table.count());
    if (comparison.total.energy_j) title += style.dim("  (± is half of the 95 % interval)");
    text += "\n" + title + "\n" + table.render(style);
  }
  used.explain = true;  // guesses about what is what belong to the answer
  if (const std::string quality = quality_section(comparison.quality, used, style, "--json has"); !quality.empty())
    text += "\n" + quality;
  return text;
}

}  // namespace kernwatt::report
