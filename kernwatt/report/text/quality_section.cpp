// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/text/sections.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

std::string_view shown_as(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      break;
  }
  return "note";
}

std::string emphasised(const Style& style, Severity severity) {
  const std::string padded = fmt::format("{:<8}", shown_as(severity));
  if (severity == Severity::error) return style.red(padded);
  return severity == Severity::warning ? style.yellow(padded) : style.dim(padded);
}

std::string summary(const std::vector<QualityEntry>& entries) {
  std::array<std::size_t, 3> counts{};
  for (const QualityEntry& entry : entries) ++counts[static_cast<std::size_t>(entry.severity)];
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
    const std::size_t count = counts[static_cast<std::size_t>(severity)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, shown_as(severity), count == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

std::string quality_section(const QualityLedger& quality, const TextOptions& options, const Style& style,
                            std::string_view notes_are) {
  std::vector<QualityEntry> entries = quality.entries();
  if (entries.empty()) return "";
  std::stable_sort(entries.begin(), entries.end(),
                   [](const QualityEntry& a, const QualityEntry& b) { return a.severity > b.severity; });
  const auto first_note = std::find_if(entries.begin(), entries.end(),
                                       [](const QualityEntry& entry) { return entry.severity == Severity::info; });
  const auto notes = static_cast<std::size_t>(entries.end() - first_note);
  const std::string folded =
      fmt::format("{} {} note{} on how the numbers came about", notes_are, notes, notes == 1 ? "" : "s");
  const std::string title = style.bold("Quality of these numbers") + ": ";
  const bool clean = first_note == entries.begin();
  if (clean && !options.explain) return title + "nothing lost, nothing doubtful\n  " + style.dim(folded) + "\n";
  std::string text = title + summary(entries) + "\n";
  if (!options.explain) entries.erase(first_note, entries.end());
  constexpr std::size_t indent = 10;
  for (const QualityEntry& entry : entries) {
    text += "  " + emphasised(style, entry.severity) + style.dim(printable(entry.id));
    if (entry.count > 1) text += style.dim(" × " + count_text(entry.count));
    text += "\n";
    for (const std::string& line : wrap(printable(entry.message), options.width - indent))
      text += std::string(indent, ' ') + line + "\n";
  }
  if (!options.explain && notes > 0) text += "  " + style.dim(folded) + "\n";
  return text;
}

}  // namespace kernwatt::report
