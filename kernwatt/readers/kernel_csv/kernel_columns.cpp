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

/// Ours first, then those of `nsys stats --report cuda_gpu_trace` and of nvprof's --print-gpu-trace.
constexpr std::array known_columns{KnownColumn{"name", name},
                                   KnownColumn{"kernel", name},
                                   KnownColumn{"kernel_name", name},
                                   KnownColumn{"category", category},
                                   KnownColumn{"cat", category},
                                   KnownColumn{"kind", category},
                                   KnownColumn{"start_ns", start},
                                   KnownColumn{"duration_ns", duration},
                                   KnownColumn{"dur_ns", duration},
                                   KnownColumn{"end_ns", KernelField::end},
                                   KnownColumn{"stream", stream},
                                   KnownColumn{"stream_id", stream},
                                   KnownColumn{"grid", KernelField::grid},
                                   KnownColumn{"block", KernelField::block},
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
constexpr std::array nsys_columns{
    KnownColumn{"start", start},        KnownColumn{"duration", duration}, KnownColumn{"corrid", correlation},
    KnownColumn{"grdx", grid_x},        KnownColumn{"grdy", grid_y},       KnownColumn{"grdz", grid_z},
    KnownColumn{"blkx", block_x},       KnownColumn{"blky", block_y},      KnownColumn{"blkz", block_z},
    KnownColumn{"grid_x", grid_x},      KnownColumn{"grid_y", grid_y},     KnownColumn{"grid_z", grid_z},
    KnownColumn{"block_x", block_x},    KnownColumn{"block_y", block_y},   KnownColumn{"block_z", block_z},
    KnownColumn{"reg/trd", registers},  KnownColumn{"ctx", context},       KnownColumn{"strm", stream},
    KnownColumn{"corr_id", correlation}};

struct TimeUnit {
  std::string_view name;
  int decimals;
};
constexpr std::array time_units{TimeUnit{"ns", 0}, TimeUnit{"nsec", 0}, TimeUnit{"us", 3}, TimeUnit{"usec", 3},
                                TimeUnit{"ms", 6}, TimeUnit{"msec", 6}, TimeUnit{"s", 9},  TimeUnit{"sec", 9}};

std::optional<int> decimals_of(std::string_view unit) {
  const auto found =
      std::find_if(time_units.begin(), time_units.end(), [unit](const TimeUnit& known) { return known.name == unit; });
  return found != time_units.end() ? std::optional(found->decimals) : std::nullopt;
}

std::string small(std::string_view text) {
  std::string out(trim(text));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '_';
  }
  return out;
}

struct ColumnName {
  std::string word;
  std::string unit;
};

/// "Start (ns)" and "Start(nsec)" as "start" and "ns", "nsec".
ColumnName split_unit(std::string_view cell) {
  const std::string text = small(cell);
  const std::size_t bracket = text.find('(');
  if (bracket == std::string::npos || !text.ends_with(')')) return {text, {}};
  std::string word = text.substr(0, bracket);
  while (word.ends_with('_')) word.pop_back();
  return {word, text.substr(bracket + 1, text.size() - bracket - 2)};
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
    const auto [word, unit] = split_unit(header[i]);
    const auto same = [&word_ = word](const KnownColumn& known) { return known.name == word_; };
    const auto ours = std::find_if(known_columns.begin(), known_columns.end(), same);
    const auto theirs = std::find_if(nsys_columns.begin(), nsys_columns.end(), same);
    const bool is_ours = ours != known_columns.end();
    if (!is_ours && theirs == nsys_columns.end()) continue;
    const auto field = static_cast<std::size_t>(is_ours ? ours->field : theirs->field);
    if (columns.position_[field] >= 0) continue;
    columns.position_[field] = static_cast<std::ptrdiff_t>(i);
    columns.decimals_[field] = is_ours ? std::optional(0) : decimals_of(unit);
    columns.of_nsys_ = columns.of_nsys_ || !is_ours;
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

bool KernelColumns::take_units(std::span<const std::string_view> row) {
  bool any = false;
  for (const KernelField field : {start, duration}) {
    const auto decimals = decimals_of(small(cell(row, field)));
    if (!decimals) continue;
    decimals_[static_cast<std::size_t>(field)] = decimals;
    any = true;
  }
  return any;
}

bool KernelColumns::has_units() const {
  const auto known = [this](KernelField field) { return !has(field) || decimals_[static_cast<std::size_t>(field)]; };
  return known(start) && known(duration);
}

std::optional<std::int64_t> KernelColumns::nanoseconds(std::span<const std::string_view> row, KernelField field) const {
  const std::string_view text = cell(row, field);
  const auto decimals = decimals_[static_cast<std::size_t>(field)].value_or(0);
  if (decimals == 0) {
    if (const auto whole = parse_int64(text); whole || !of_nsys_) return whole;
  }
  return parse_scaled(text, decimals);
}

std::optional<run::Dim3> KernelColumns::dimensions(std::span<const std::string_view> row, KernelField all,
                                                   KernelField first) const {
  if (has(all)) return parse_dim3(cell(row, all));
  run::Dim3 result{1, 1, 1};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto field = static_cast<KernelField>(static_cast<std::size_t>(first) + i);
    const auto value = parse_int64(cell(row, field));
    if (!value || *value < 0 || *value >= run::none) return std::nullopt;
    result[i] = static_cast<std::uint32_t>(*value);
  }
  return result;
}

std::optional<run::Dim3> KernelColumns::grid(std::span<const std::string_view> row) const {
  return dimensions(row, KernelField::grid, grid_x);
}

std::optional<run::Dim3> KernelColumns::block(std::span<const std::string_view> row) const {
  return dimensions(row, KernelField::block, block_x);
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
