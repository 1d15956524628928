// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/text/shown_rows.hpp"
#include "kernwatt/report/text/table.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

struct ExplainedRow {
  const run::Row* row = nullptr;
  const run::Explanation* explanation = nullptr;
};

std::vector<ExplainedRow> explained_rows(const run::Attribution& attribution, const TextOptions& options) {
  std::unordered_map<std::uint32_t, const run::Explanation*> by_row;
  for (const run::Explanation& explanation : attribution.explanations) by_row.emplace(explanation.row, &explanation);
  const ShownRows shown = shown_rows(attribution, options.view, options.top);
  std::vector<const run::Row*> rows = shown.top;
  rows.insert(rows.end(), shown.idle.begin(), shown.idle.end());
  std::vector<ExplainedRow> explained;
  for (const run::Row* row : rows)
    if (const auto found = by_row.find(row->id); found != by_row.end()) explained.push_back({row, found->second});
  return explained;
}

std::vector<std::string> cells_of(const ExplainedRow& explained) {
  const std::optional<double>& ours = explained.row->energy_j;
  const std::optional<double>& theirs = explained.explanation->time_share_energy_j;
  const std::string difference =
      ours && theirs && *ours != 0 ? fmt::format("{:+.1f} %", (*theirs / *ours - 1) * 100) : "";
  const std::optional<double>& reference = explained.row->power_at_reference_w;
  return {ours ? measured_energy(*ours, explained.row->energy_ci95_j).text() : "–", theirs ? energy_text(*theirs) : "–",
          difference, reference ? measured_power(*reference, explained.row->power_at_reference_ci95_w).text() : "–",
          ""};
}

std::string sentence(const ExplainedRow& explained) {
  const std::string& detail = explained.row->detail;
  return printable((detail.empty() ? "" : detail + ": ") + explained.explanation->how);
}

std::string reference_header(const run::Attribution& attribution) {
  const std::optional<double>& clock = attribution.total.reference_mhz;
  return clock ? fmt::format("at {:.0f} MHz", *clock) : "at top clock";
}

}  // namespace

std::string explain_section(const run::Run& run, const TextOptions& options, const Style& style) {
  const std::vector<ExplainedRow> explained = explained_rows(run.attribution, options);
  const std::string title = style.bold("How these figures came about");
  if (explained.empty()) return title + "\n  No figure of this view has an explanation of its own; --by class has.\n";
  Table table({{"energy"},
               {"by time share"},
               {"difference"},
               {reference_header(run.attribution)},
               {options.view == run::View::kernel_class ? "kernel class" : std::string(run::to_string(options.view)),
                Align::left}});
  std::vector<const run::Row*> rows;
  std::vector<std::size_t> lines;
  for (const ExplainedRow& one : explained) {
    rows.push_back(one.row);
    lines.push_back(table.size());
    table.add(cells_of(one));
    for (const std::string& line : wrap(sentence(one), options.width - 6)) table.add_note("      " + line);
  }
  const std::size_t room = table.last_column_width(options.width);
  const std::vector<std::string> labels = labels_of(run.attribution, rows, std::vector<std::size_t>(rows.size(), room));
  for (std::size_t i = 0; i < labels.size(); ++i) table.set_last(lines[i], labels[i]);
  return title + style.dim("  (by time share: mean busy power × time, as other tools report)") + "\n" +
         table.render(style);
}

}  // namespace kernwatt::report
