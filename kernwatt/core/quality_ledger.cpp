// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/core/quality_ledger.hpp"

#include <algorithm>
#include <utility>

namespace kernwatt {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

void QualityLedger::add(std::string_view id, Severity severity, std::string message, std::uint64_t count) {
  const auto same = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const QualityEntry& e) { return e.id == id && e.message == message; });
  if (same != entries_.end()) {
    same->count += count;
    same->severity = std::max(same->severity, severity);
    return;
  }
  entries_.push_back({std::string(id), severity, count, std::move(message)});
}

void QualityLedger::merge(const QualityLedger& other) {
  for (const QualityEntry& e : other.entries_) add(e.id, e.severity, e.message, e.count);
}

bool QualityLedger::contains(std::string_view id) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const QualityEntry& e) { return e.id == id; });
}

Severity QualityLedger::worst() const {
  Severity worst = Severity::info;
  for (const QualityEntry& e : entries_) worst = std::max(worst, e.severity);
  return worst;
}

}  // namespace kernwatt
