// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/flag_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/report/rows.hpp"
#include "kernwatt/report/text/magnitude.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

struct FlagMeaning {
  std::string_view flag;
  std::string_view mark;
  std::string_view meaning;
};

constexpr std::array meanings{
    FlagMeaning{"power-capped", "c", "the power limit held its clocks down while it ran"},
    FlagMeaning{"exposed", "e", "communication while no other kernel ran"},
    FlagMeaning{"overlapped", "o", "communication under other kernels"},
    FlagMeaning{"waiting", "w", "communication before the last rank came, when no data can move"},
    FlagMeaning{"partial", "/", "some of the GPUs have no energy for it"},
    FlagMeaning{"tiled", "*", "the traced iterations were laid over the whole log (--tile)"},
    FlagMeaning{"tiny", "s", "too short to be measured on its own"},
    FlagMeaning{"guessed", "?", "its place in the program was guessed; the notes say how"},
    FlagMeaning{"pooled", "p", "too little time for a power of its own; fitted together with classes of its kind"},
    FlagMeaning{"flops-estimated", "≈", "FLOPs estimated from the model's size: the trace has no shapes"},
    FlagMeaning{"outside", "-", "not within any iteration"},
};

constexpr std::string_view tied = "tied:";

bool is_told_by_its_name(std::string_view flag) { return flag == "idle" || flag == "unattributed"; }

std::string mark_of(std::string_view flag) {
  if (flag.starts_with(tied)) return "t" + printable(flag.substr(tied.size()));
  for (const FlagMeaning& known : meanings)
    if (known.flag == flag) return std::string(known.mark);
  return elide_end(printable(flag), 12);
}

std::string tied_sentence(const run::Attribution& attribution, std::string_view flag) {
  std::string text = "the data cannot tell these rows apart";
  for (const run::TiedGroup& group : attribution.tied)
    if (std::to_string(group.id) == flag.substr(tied.size()))
      text += fmt::format("; together {} in {} rows", measured_energy(group.energy_j, group.energy_ci95_j).text(),
                          group.rows.size());
  return text;
}

std::string meaning_of(const run::Attribution& attribution, std::string_view flag) {
  if (flag.starts_with(tied)) return "tied: " + tied_sentence(attribution, flag);
  for (const FlagMeaning& known : meanings)
    if (known.flag == flag) return fmt::format("{}: {}", known.flag, known.meaning);
  return "";
}

bool contains(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

}  // namespace

std::string flag_marks(const run::Row& row, const std::vector<std::string>& silent) {
  std::vector<std::string> marks;
  for (const std::string& flag : row.flags)
    if (!contains(silent, flag) && !is_told_by_its_name(flag)) marks.push_back(mark_of(flag));
  return fmt::format("{}", fmt::join(marks, " "));
}

std::vector<std::string> common_flags(const std::vector<const run::Row*>& rows) {
  if (rows.size() < 2) return {};
  std::vector<std::string> common = rows.front()->flags;
  std::erase_if(common, [&](const std::string& flag) {
    return std::any_of(rows.begin(), rows.end(), [&](const run::Row* row) { return !has_flag(*row, flag); });
  });
  return common;
}

std::vector<FlagNote> flag_legend(const run::Attribution& attribution, const std::vector<const run::Row*>& rows,
                                  const std::vector<std::string>& common) {
  std::vector<std::string> flags;
  for (const run::Row* row : rows)
    for (const std::string& flag : row->flags)
      if (!contains(flags, flag) && !is_told_by_its_name(flag)) flags.push_back(flag);
  std::vector<FlagNote> notes;
  for (const std::string& flag : flags) {
    const std::string meaning = meaning_of(attribution, flag);
    if (contains(common, flag)) {
      notes.push_back({"", "all rows shown are " + (meaning.empty() ? printable(flag) : meaning)});
    } else if (!meaning.empty()) {
      notes.push_back({mark_of(flag), meaning});
    }
  }
  return notes;
}

}  // namespace kernwatt::report
