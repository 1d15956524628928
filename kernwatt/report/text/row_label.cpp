// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/row_label.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

using std::string;
using std::string_view;

constexpr std::array noise{
    string_view("(anonymous namespace)::"), string_view("<unnamed>::"), string_view("(int)"), string_view("(bool)"),
    string_view("(unsigned int)"),          string_view("(long)")};

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return c == '_' || is_letter_or_digit(c); }

/// Position after the bracket that closes the one at `open`; npos when it is never closed.
std::size_t after_closing(string_view text, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && !(closing == '>' && i > 0 && text[i - 1] == '-') && --depth == 0) return i + 1;
  }
  return string_view::npos;
}

/// Only C++ signatures are taken apart: "Memcpy HtoD (Pinned -> Device)" and "my kernel (v2)" are names in full.
bool is_cpp_signature(string_view name) {
  return name.starts_with("void ") || name.find("::") != string_view::npos || name.find('<') != string_view::npos ||
         (name.ends_with(")") && name.find(' ') > name.find('('));
}

/// Cuts "(…)" that follows a function's name or its template arguments, outside of any template argument.
void drop_argument_list(string& name) {
  int templates = 0;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '<') ++templates;
    if (name[i] == '>' && name[i - 1] != '-') --templates;
    if (name[i] != '(' || templates > 0 || !(is_word(name[i - 1]) || name[i - 1] == '>')) continue;
    const std::size_t end = after_closing(name, i, '(', ')');
    if (end == string::npos || name.compare(end, 2, "::") == 0) return;
    name.erase(i, end - i);
    return;
  }
}

/// Inside template arguments, "Impl(Iterator&)::{lambda()#1}::operator()() const::{lambda(float)#1}" is its first word:
/// where the function object was written says little.
void drop_lambdas(string& name) {
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] != '(' || !(is_word(name[i - 1]) || name[i - 1] == '>')) continue;
    std::size_t end = after_closing(name, i, '(', ')');
    if (end == string::npos) return;
    for (int depth = 0; name.compare(i, 1, "(") == 0 && end < name.size(); ++end) {
      const char c = name[end];
      if (depth == 0 && (c == ',' || c == '>')) break;
      if (c == '<' || c == '(' || c == '{') ++depth;
      if (c == '>' || c == ')' || c == '}') --depth;
    }
    name.erase(i, end - i);
  }
}

void erase_all(string& text, string_view what) {
  for (std::size_t at = text.find(what); at != string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

/// "at::native::add<c10::Half>" -> "add<Half>"; "Gemm<int>::Params" stays.
void drop_qualifiers(string& text) {
  string kept;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool qualifier = end > i && text.compare(end, 2, "::") == 0;
    if (qualifier) {
      i = end + 2;
      continue;
    }
    end = std::max(end, i + 1);
    kept.append(text, i, end - i);
    i = end;
  }
  text = std::move(kept);
}

/// A pair of template brackets: text[open] is '<', text[close] its '>'.
struct Brackets {
  std::size_t open = 0;
  std::size_t close = 0;
  int depth = 0;
};

/// All pairs; empty when they do not match (operator<, a name that was cut off).
std::vector<Brackets> template_brackets(string_view text) {
  std::vector<Brackets> pairs;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') open.push_back(i);
    if (text[i] != '>' || (i > 0 && text[i - 1] == '-')) continue;
    if (open.empty()) return {};
    pairs.push_back({open.back(), i, static_cast<int>(open.size())});
    open.pop_back();
  }
  return open.empty() ? pairs : std::vector<Brackets>();
}

constexpr string_view ellipsis = "…";

/// Folds the innermost (of them the longest) arguments that are below the outermost level; false if there are none.
bool fold_innermost(string& text) {
  std::optional<Brackets> chosen;
  for (const Brackets& pair : template_brackets(text)) {
    const std::size_t length = pair.close - pair.open - 1;
    if (pair.depth < 2 || length <= ellipsis.size()) continue;
    const bool longer = chosen && pair.depth == chosen->depth && length > chosen->close - chosen->open - 1;
    if (!chosen || pair.depth > chosen->depth || longer) chosen = pair;
  }
  if (!chosen) return false;
  text.replace(chosen->open + 1, chosen->close - chosen->open - 1, ellipsis);
  return true;
}

/// Drops the last of the outermost arguments; the first one stays, it often says what the kernel does.
bool drop_last_argument(string& text) {
  for (const Brackets& pair : template_brackets(text)) {
    if (pair.depth != 1) continue;
    string_view inside = string_view(text).substr(pair.open + 1, pair.close - pair.open - 1);
    const string_view folded = ", …";
    if (inside.ends_with(folded)) inside.remove_suffix(folded.size());
    int depth = 0;
    std::size_t comma = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] == '<' || inside[i] == '(') ++depth;
      if (inside[i] == '>' || inside[i] == ')') --depth;
      if (inside[i] == ',' && depth == 0) comma = i;
    }
    if (comma == 0) continue;
    text = text.substr(0, pair.open + 1 + comma) + string(folded) + text.substr(pair.close);
    return true;
  }
  return false;
}

/// Kernels of one name for many purposes: their arguments say what they do.
constexpr std::array generic_names{string_view("elementwise"), string_view("reduce_kernel"),
                                   string_view("Kernel2"),     string_view("device_kernel"),
                                   string_view("unrolled"),    string_view("multi_tensor")};

/// The identifier that names a function object, with its own arguments: "CUDAFunctor_add<BFloat16>". Empty without one.
string_view function_object(string_view arguments) {
  const std::size_t found =
      std::min({arguments.find("unctor"), arguments.find("Impl"), arguments.find("_kernel_cuda")});
  if (found == string_view::npos) return {};
  std::size_t begin = found;
  while (begin > 0 && is_word(arguments[begin - 1])) --begin;
  std::size_t end = found;
  while (end < arguments.size() && is_word(arguments[end])) ++end;
  if (end < arguments.size() && arguments[end] == '<')
    end = std::min(after_closing(arguments, end, '<', '>'), arguments.size());
  return arguments.substr(begin, end - begin);
}

/// The arguments without numbers in front and the wrappers that PyTorch puts around what it launches.
string_view without_wrapping(string_view arguments) {
  for (std::size_t digits = 0; digits < arguments.size() && arguments[digits] >= '0' && arguments[digits] <= '9';) {
    ++digits;
    if (arguments.substr(digits, 2) != ", ") continue;
    arguments.remove_prefix(digits + 2);
    digits = 0;
  }
  for (const string_view wrapper : {"gpu_kernel_impl_nocast<", "gpu_kernel_impl<", "ReduceOp<"})
    if (arguments.starts_with(wrapper)) arguments.remove_prefix(wrapper.size());
  return arguments;
}

/// "vectorized_elementwise_kernel<4, Add<float>, array<…>>" -> "vectoriz…<Add<float>, …>", for generic kernels only:
/// true when it was one.
bool favour_arguments(string& text) {
  constexpr std::size_t name_width = 9;
  const std::size_t open = text.find('<');
  if (open == string::npos) return false;
  const string_view name = string_view(text).substr(0, open);
  if (std::none_of(generic_names.begin(), generic_names.end(),
                   [&](string_view generic) { return name.find(generic) != string_view::npos; }))
    return false;
  const string_view arguments = string_view(text).substr(open + 1);
  const string_view object = function_object(arguments);
  const string chosen = object.empty() ? string(without_wrapping(arguments)) : string(object) + ", …>";
  text = elide_end(name, name_width) + "<" + chosen;
  return true;
}

/// Folds all of the outermost arguments, if the name then fits.
void fold_outermost(string& text, std::size_t width) {
  for (const Brackets& pair : template_brackets(text)) {
    if (pair.depth != 1) continue;
    string folded = text;
    folded.replace(pair.open + 1, pair.close - pair.open - 1, ellipsis);
    if (display_width(folded) <= width) text = std::move(folded);
    return;
  }
}

/// The stretch in which a name differs from the others of its group, widened to whole words
/// (between underscores too: generated names are one long identifier).
string_view differing_part(string_view name, std::size_t same_head, std::size_t same_tail) {
  std::size_t begin = std::min(same_head, name.size());
  std::size_t end = std::max(begin, name.size() - std::min(same_tail, name.size()));
  while (begin > 0 && is_letter_or_digit(name[begin - 1])) --begin;
  while (end < name.size() && is_letter_or_digit(name[end])) ++end;
  const auto inside_character = [&](std::size_t at) {
    return at < name.size() && (static_cast<unsigned char>(name[at]) & 0xc0U) == 0x80;
  };
  while (begin > 0 && inside_character(begin)) --begin;
  while (end < name.size() && inside_character(end)) ++end;
  return name.substr(begin, end - begin);
}

std::size_t common_head(string_view a, string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::size_t common_tail(string_view a, string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

/// The beginning of the name, then the part that tells it from its like. That part starts with the first difference,
/// so it is cut at its end.
string label_with_difference(string_view name, string_view difference, std::size_t width) {
  // Where a name cut at its end still shows the difference, nothing reads better.
  const auto until = static_cast<std::size_t>(difference.data() + difference.size() - name.data());
  if (display_width(name.substr(0, until)) < width) return elide_end(name, width);
  const string marked = string(difference) + string(name.ends_with(difference) ? "" : ellipsis);
  const std::size_t for_difference = std::min(display_width(marked), width * 3 / 5);
  return elide_end(name, width - for_difference) + elide_end(marked, for_difference);
}

bool all_differ(const std::vector<string>& texts) {
  return std::set<string_view>(texts.begin(), texts.end()).size() == texts.size();
}

/// For each of the texts, the stretch in which it differs from the others. Views into `texts`.
std::vector<string_view> differences(const std::vector<string>& texts) {
  const string_view first = texts.front();
  std::size_t head = first.size();
  std::size_t tail = first.size();
  for (const string& text : texts) {
    head = std::min(head, common_head(first, text));
    tail = std::min(tail, common_tail(first, text));
  }
  std::vector<string_view> parts;
  for (const string& text : texts) parts.push_back(differing_part(text, head, std::min(tail, text.size() - head)));
  return parts;
}

/// One name, several grids: the name as short as it must be, then what differs: "add_kernel<…> 2x66x1".
string label_with_detail(const NamedRow& row, string_view difference) {
  const std::size_t for_detail = std::min(display_width(difference), row.width / 2);
  return shorten_kernel_name(row.name, row.width - for_detail - 1) + " " + elide_end(difference, for_detail);
}

/// Gives each row of the group, whose short names are equal, a label with its difference, if there is any.
void tell_apart(const std::vector<NamedRow>& rows, const std::vector<std::size_t>& group, std::vector<string>& labels) {
  std::vector<string> names;
  std::vector<string> details;
  std::vector<string> all;
  for (const std::size_t i : group) {
    names.push_back(rows[i].name);
    details.push_back(rows[i].detail);
    all.push_back(rows[i].raw + " " + rows[i].detail);
  }
  const bool one_name = std::all_of(names.begin(), names.end(), [&](const string& name) { return name == names[0]; });
  const bool by_detail = one_name && all_differ(details);
  const std::vector<string>& texts = by_detail ? details : all_differ(names) ? names : all;
  if (!all_differ(texts)) return;
  const std::vector<string_view> parts = differences(texts);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const NamedRow& row = rows[group[i]];
    labels[group[i]] =
        by_detail ? label_with_detail(row, parts[i]) : label_with_difference(texts[i], parts[i], row.width);
  }
}

std::map<string, std::vector<std::size_t>> groups_of(const std::vector<string>& labels) {
  std::map<string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < labels.size(); ++i) groups[labels[i]].push_back(i);
  return groups;
}

}  // namespace

string readable_kernel_name(string_view name) {
  string text(name);
  if (!is_cpp_signature(name)) return text;
  if (text.starts_with("void ")) text.erase(0, 5);
  drop_argument_list(text);
  for (const string_view what : noise) erase_all(text, what);
  drop_lambdas(text);
  drop_qualifiers(text);
  for (std::size_t at = text.find(" >"); at != string::npos; at = text.find(" >", at)) text.erase(at, 1);
  return text.empty() ? string(name) : text;
}

string shorten_kernel_name(string_view readable, std::size_t width) {
  string text(readable);
  const bool generic = display_width(text) > width && favour_arguments(text);
  while (display_width(text) > width && fold_innermost(text)) {
  }
  while (display_width(text) > width && drop_last_argument(text)) {
  }
  if (generic) return elide_end(text, width);
  if (display_width(text) > width) fold_outermost(text, width);
  return elide_middle(text, width);
}

std::vector<string> distinct_labels(const std::vector<NamedRow>& rows) {
  std::vector<string> labels;
  for (const NamedRow& row : rows) labels.push_back(shorten_kernel_name(row.name, row.width));
  for (const auto& [label, group] : groups_of(labels))
    if (group.size() > 1) tell_apart(rows, group, labels);
  for (const auto& [label, group] : groups_of(labels)) {
    if (group.size() == 1) continue;
    for (const std::size_t i : group) {
      const string mark = " #" + std::to_string(rows[i].id);
      labels[i] = elide_middle(labels[i], rows[i].width - std::min(rows[i].width, mark.size())) + mark;
    }
  }
  return labels;
}

}  // namespace kernwatt::report
