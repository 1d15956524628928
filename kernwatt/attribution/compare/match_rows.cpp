// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/compare/match_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace kernwatt::attribution {
namespace {

using Key = std::function<std::string(const SideRow&)>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Names that a compiler makes up: TorchInductor's Triton kernels, NVFuser's and XLA's fusions.
bool is_generated(std::string_view name) {
  constexpr std::array<std::string_view, 8> beginnings{
      "triton_", "CUDAGeneratedKernel", "nvfuser_", "kernel_", "fusion", "loop_", "input_", "wrapped_"};
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return name.starts_with(b); });
}

bool about_equal(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

/// Pairs of what is not yet paired, one rule after the other.
class Matcher {
 public:
  Matcher(const std::vector<SideRow>& before, const std::vector<SideRow>& after, double launches_ratio)
      : before_(before), after_(after), launches_ratio_(launches_ratio) {
    for (std::size_t i = 0; i < before.size(); ++i) left_before_.push_back(i);
    for (std::size_t i = 0; i < after.size(); ++i) left_after_.push_back(i);
  }

  void by(run::Match match, const Key& key) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (const std::size_t i : left_after_)
      if (std::string text = key(after_[i]); !text.empty()) groups[text].push_back(i);
    std::map<std::string, std::vector<std::size_t>> ours;
    for (const std::size_t i : left_before_)
      if (std::string text = key(before_[i]); !text.empty()) ours[text].push_back(i);
    for (const auto& [text, mine] : ours)
      if (const auto theirs = groups.find(text); theirs != groups.end()) pair_group(match, mine, theirs->second);
    forget_paired();
  }

  /// Another name for the same work: nothing else of this category runs as often, and it weighs about the same.
  void by_role() {
    const std::vector<std::size_t> before = left_before_;
    for (const std::size_t i : before) {
      const std::vector<std::size_t> here = alike(before_[i], 1, before_, left_before_);
      const std::vector<std::size_t> there = alike(before_[i], launches_ratio_, after_, left_after_);
      if (here.size() != 1 || there.size() != 1 || !weighs_alike(before_[i], after_[there[0]])) continue;
      pairs_.push_back({i, there[0], run::Match::same_role});
      forget_paired();
    }
  }

  std::vector<RowPair> finish() {
    for (const std::size_t i : left_before_) pairs_.push_back({i, std::nullopt, run::Match::gone});
    for (const std::size_t i : left_after_) pairs_.push_back({std::nullopt, i, run::Match::appeared});
    return std::move(pairs_);
  }

 private:
  void pair_group(run::Match match, const std::vector<std::size_t>& mine, const std::vector<std::size_t>& theirs) {
    if (mine.size() == 1 && theirs.size() == 1) {
      pairs_.push_back({mine[0], theirs[0], match});
      return;
    }
    for (const std::size_t i : mine) {
      const std::vector<std::size_t> here = as_often(before_[i], 1, before_, mine);
      const std::vector<std::size_t> there = as_often(before_[i], launches_ratio_, after_, theirs);
      if (here.size() == 1 && there.size() == 1) pairs_.push_back({i, there[0], match});
    }
  }

  static std::vector<std::size_t> as_often(const SideRow& row, double ratio, const std::vector<SideRow>& rows,
                                           const std::vector<std::size_t>& among) {
    std::vector<std::size_t> found;
    for (const std::size_t i : among)
      if (about_equal(row.launches * ratio, rows[i].launches, 0.02)) found.push_back(i);
    return found;
  }

  static std::vector<std::size_t> alike(const SideRow& row, double ratio, const std::vector<SideRow>& rows,
                                        const std::vector<std::size_t>& among) {
    std::vector<std::size_t> found = as_often(row, ratio, rows, among);
    std::erase_if(found, [&](std::size_t i) { return rows[i].category != row.category; });
    return found;
  }

  static bool weighs_alike(const SideRow& a, const SideRow& b) {
    constexpr double most = 2;
    if (a.category.empty() || !a.share || !b.share || *a.share <= 0 || *b.share <= 0) return false;
    return *a.share < most * *b.share && *b.share < most * *a.share;
  }

  void forget_paired() {
    for (const RowPair& pair : pairs_) {
      if (pair.before) std::erase(left_before_, *pair.before);
      if (pair.after) std::erase(left_after_, *pair.after);
    }
  }

  const std::vector<SideRow>& before_;
  const std::vector<SideRow>& after_;
  double launches_ratio_;
  std::vector<std::size_t> left_before_, left_after_;
  std::vector<RowPair> pairs_;
};

}  // namespace

std::string without_running_numbers(std::string_view name) {
  if (!is_generated(name)) return std::string(name);
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    // A number of its own between underscores counts; "bf16" or "128x64" inside a word does not.
    const bool begins = is_digit(name[i]) && (i == 0 || name[i - 1] == '_' || name[i - 1] == '.');
    std::size_t end = i;
    while (begins && end < name.size() && is_digit(name[end])) ++end;
    if (begins && (end == name.size() || name[end] == '_' || name[end] == '.')) {
      text += '#';
      i = end;
    } else {
      text += name[i++];
    }
  }
  return text;
}

std::vector<RowPair> match_classes(const std::vector<SideRow>& before, const std::vector<SideRow>& after,
                                   double launches_ratio) {
  Matcher matcher(before, after, launches_ratio);
  matcher.by(run::Match::same, [](const SideRow& row) { return row.name + "\n" + row.detail; });
  matcher.by(run::Match::other_shape, [](const SideRow& row) { return row.name; });
  const auto renumbered = [](const SideRow& row) {
    std::string text = without_running_numbers(row.name);
    return text == row.name ? std::string() : text;
  };
  matcher.by(run::Match::renumbered, [&](const SideRow& row) {
    const std::string text = renumbered(row);
    return text.empty() ? text : text + "\n" + row.detail;
  });
  matcher.by(run::Match::renumbered, renumbered);
  matcher.by_role();
  return matcher.finish();
}

std::vector<RowPair> match_named(run::View view, const std::vector<SideRow>& before,
                                 const std::vector<SideRow>& after) {
  Matcher matcher(before, after, 1);
  matcher.by(run::Match::same, [](const SideRow& row) { return row.name + "\n" + row.detail; });
  std::vector<RowPair> pairs = matcher.finish();
  const bool none_in_both = std::none_of(pairs.begin(), pairs.end(), [&](const RowPair& pair) {
    return pair.before && pair.after && before[*pair.before].name != "(no layer)";
  });
  if (view != run::View::layer || !none_in_both || before.size() != after.size() || before.empty()) return pairs;
  pairs.clear();
  for (std::size_t i = 0; i < before.size(); ++i)
    pairs.push_back({i, i, before[i].name == after[i].name ? run::Match::same : run::Match::same_order});
  return pairs;
}

}  // namespace kernwatt::attribution
