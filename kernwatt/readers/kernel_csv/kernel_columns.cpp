// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kernel_csv/kernel_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

namespace {

using enum KernelField;

struct KnownColumn {
  std::string_view name;
  KernelField field;
};

constexpr std::array known_columns{KnownColumn{"name", name},
                                   KnownColumn{"kernel", name},
                                   KnownColumn{"kernel_name", name},
                                   KnownColumn{"category", category},
                                   KnownColumn{"cat", category},
                                   KnownColumn{"kind", category},
                                   KnownColumn{"start_ns", start},
                                   KnownColumn{"duration_ns", duration},
                                   KnownColumn{"dur_ns", duration},
                                   KnownColumn{"end_ns", end},
                                   KnownColumn{"stream", stream},
                                   KnownColumn{"stream_id", stream},
                                   KnownColumn{"grid", grid},
                                   KnownColumn{"block", block},
                                   KnownColumn{"device", device},
                                   KnownColumn{"gpu", device},
                                   KnownColumn{"context", context},
                                   KnownColumn{"correlation", correlation},
                                   KnownColumn{"correlation_id", correlation},
                                   KnownColumn{"registers", registers},
                                   KnownColumn{"registers_per_thread", registers},
                                   KnownColumn{"shared_memory", shared_memory},
                                   KnownColumn{"shared_memory_bytes", shared_memory},
                                   KnownColumn{"iteration", iteration},
                                   KnownColumn{"operator", operator_},
                                   KnownColumn{"op", operator_},
                                   KnownColumn{"range", range},
                                   KnownColumn{"layer", range},
                                   KnownColumn{"phase", phase}};

std::string small(std::string_view text) {
  std::string out(trim(text));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '_';
  }
  return out;
}

bool contains_small(std::string_view text, std::string_view word) {
  return small(text).find(word) != std::string::npos;
}

}  // namespace

Result<KernelColumns> KernelColumns::from_header(std::span<const std::string_view> header) {
  KernelColumns columns;
  columns.position_.fill(-1);
  columns.width_ = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string word = small(header[i]);
    const auto found = std::find_if(known_columns.begin(), known_columns.end(),
                                    [&](const KnownColumn& known) { return known.name == word; });
    if (found == known_columns.end()) continue;
    std::ptrdiff_t& position = columns.position_[static_cast<std::size_t>(found->field)];
    if (position < 0) position = static_cast<std::ptrdiff_t>(i);
  }
  std::string lacking;
  if (!columns.has(name)) lacking += " name";
  if (!columns.has(start)) lacking += " start_ns";
  if (!columns.has(duration) && !columns.has(KernelField::end)) lacking += " duration_ns";
  if (lacking.empty()) return columns;
  return Error{ErrorCode::bad_data,
               fmt::format("not a kernel CSV: its first line names no column{}; needed are name, start_ns, duration_ns "
                           "(docs/formats.md)",
                           lacking),
               {}};
}

std::string_view KernelColumns::cell(std::span<const std::string_view> row, KernelField field) const {
  const std::ptrdiff_t position = position_[static_cast<std::size_t>(field)];
  if (position < 0 || static_cast<std::size_t>(position) >= row.size()) return {};
  return trim(row[static_cast<std::size_t>(position)]);
}

std::optional<run::Dim3> parse_dim3(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && (text.front() == '(' || text.front() == '[')) text = text.substr(1, text.size() - 2);
  run::Dim3 result{1, 1, 1};
  const char* at = text.data();
  const char* const last = text.data() + text.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    while (at != last && *at == ' ') ++at;
    const auto [after, error] = std::from_chars(at, last, result[i]);
    if (error != std::errc{} || after == at) return std::nullopt;
    at = after;
    if (at == last) return result;
    if (*at != 'x' && *at != 'X' && *at != ',' && *at != ' ') return std::nullopt;
    ++at;
  }
  return std::nullopt;
}

run::LaunchKind kind_of(std::string_view category, std::string_view name) {
  const std::string_view told = category.empty() ? name : category;
  if (category.empty() && !told.starts_with("Mem") && !told.starts_with("mem") && !told.starts_with("[CUDA")) {
    return run::LaunchKind::kernel;
  }
  if (contains_small(told, "memcpy")) return run::LaunchKind::memcpy;
  if (contains_small(told, "memset")) return run::LaunchKind::memset;
  return run::LaunchKind::kernel;
}

}  // namespace kernwatt::readers
