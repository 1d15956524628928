// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/metric_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace kernwatt::readers {

namespace {

constexpr std::size_t most_names = 10'000;
constexpr std::size_t most_tokens = 100;
constexpr int most_on_a_host = 64;

bool disagree(const CellValue& a, const CellValue& b) {
  if (a.kind != CellKind::number || b.kind != CellKind::number) return false;
  return std::abs(a.value - b.value) > 0.01 * std::abs(a.value);
}

}  // namespace

bool MetricRows::find(std::string_view metric, const Column*& column) {
  auto known = columns_.find(metric);
  if (known == columns_.end()) {
    if (columns_.size() >= most_names) return false;
    known = columns_.emplace(metric, metric_column(metric)).first;
  }
  column = &known->second;
  return known->second.role != ColumnRole::ignored;
}

void MetricRows::ignore(std::string_view text) {
  if (read_number(text, Column{}, false).kind == CellKind::sentinel) ++sentinels_;
}

void MetricRows::add(const run::GpuIdentity& gpu, const Column& column, std::string_view text,
                     const std::optional<Timestamp>& stamp, std::uint64_t round) {
  if (!names_a_gpu(gpu)) {
    ++nameless_;
    return;
  }
  Entry entry;
  entry.gpu = static_cast<std::uint32_t>(log_.gpu(gpu));
  entry.order = static_cast<std::uint32_t>(entries_.size());
  entry.at = stamp ? stamp->ns : static_cast<std::int64_t>(round);
  entry.stamp = stamp;
  entry.column = &column;
  entry.value = read_cell(text, column);
  // The text goes away with its line.
  auto token = tokens_.find(entry.value.token);
  if (entry.value.kind != CellKind::missing) {
    entry.value.token = {};
  } else if (token == tokens_.end() && tokens_.size() >= most_tokens) {
    entry.value.token = "other text";
  } else {
    if (token == tokens_.end()) token = tokens_.emplace(entry.value.token, 0).first;
    entry.value.token = token->first;
  }
  entries_.push_back(std::move(entry));
}

// An exporter gives all GPUs of its host, so a gap in their numbers is a GPU that it lost.
void MetricRows::note_absent() {
  std::map<std::string, std::set<int>> indices;
  for (std::size_t i = 0; i < log_.gpus(); ++i) {
    const run::GpuIdentity& gpu = log_.identity(i);
    if (gpu.index && *gpu.index < most_on_a_host) indices[gpu.host].insert(*gpu.index);
  }
  for (const auto& [host, seen] : indices) {
    const int expected = *seen.rbegin() + 1;
    if (static_cast<int>(seen.size()) == expected || seen.size() < 2) continue;
    std::string absent;
    for (int i = 0; i < expected; ++i) {
      if (!seen.contains(i)) absent += (absent.empty() ? "" : ", ") + std::to_string(i);
    }
    log_.quality().add("power.gpu-absent", Severity::warning,
                       fmt::format("GPU {}{} is absent: {} of {} GPUs are seen, and a sum over them is partial", absent,
                                   host.empty() ? "" : " of " + host, seen.size(), expected),
                       static_cast<std::uint64_t>(expected) - seen.size());
  }
}

void MetricRows::note_repeated() {
  if (sentinels_ > 0) {
    log_.quality().add("power.sentinel", Severity::warning,
                       "numbers that stand for \"not supported\" (such as 9223372036854775794) were left out",
                       sentinels_);
  }
  if (repeated_ > 0) {
    log_.quality().add("power.repeated-series", Severity::info,
                       "a board appears several times at one instant (for each pod that shares it, or from several "
                       "exporters): it counts once",
                       repeated_);
  }
  if (disagreeing_ > 0) {
    log_.quality().add("power.series-disagree", Severity::warning,
                       "repeated readings of one board at one instant differ: the first was taken", disagreeing_);
  }
  if (nameless_ > 0) {
    log_.quality().add(
        "power.unnamed-series", Severity::warning,
        "readings without a label that names a GPU (gpu, UUID, pci_bus_id) were left out; sums over GPUs "
        "have none",
        nameless_);
  }
}

void MetricRows::finish() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.stamp.has_value(), a.at, a.gpu, a.order) <
           std::tuple(b.stamp.has_value(), b.at, b.gpu, b.order);
  });
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < entries_.size();) {
    readings.clear();
    std::size_t end = i;
    const Entry& first = entries_[i];
    for (; end < entries_.size(); ++end) {
      const Entry& entry = entries_[end];
      if (entry.gpu != first.gpu || entry.at != first.at || entry.stamp.has_value() != first.stamp.has_value()) break;
      const auto same = std::find_if(readings.begin(), readings.end(),
                                     [&](const Reading& r) { return r.column->role == entry.column->role; });
      if (same == readings.end()) {
        readings.push_back({entry.column, entry.value});
        continue;
      }
      ++repeated_;
      disagreeing_ += disagree(same->value, entry.value) ? 1U : 0U;
      if (same->value.kind != CellKind::number) *same = {entry.column, entry.value};
    }
    log_.add(first.gpu, first.stamp, readings);
    i = end;
  }
  entries_.clear();
  note_repeated();
  note_absent();
}

}  // namespace kernwatt::readers
