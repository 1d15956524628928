// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernwatt {

/// info: how a number came about. warning: a number is less certain than it looks, or something was lost;
/// --strict refuses it. error: part of the answer is missing.
enum class Severity : std::uint8_t { info, warning, error };
std::string_view to_string(Severity severity);

/// One loss, guess, repair or doubt.
struct QualityEntry {
  std::string id;  ///< stable name, most general part first: "trace.negative-duration"
  Severity severity = Severity::info;
  std::uint64_t count = 1;  ///< how many records it concerns
  std::string message;      ///< a sentence for the user: what, how it was treated, what to do
};

/// Everything that a reader of the results must know about how they came to be. One thread at a time.
class QualityLedger {
 public:
  /// Adds an entry, or adds `count` to the entry of the same id and message.
  void add(std::string_view id, Severity severity, std::string message, std::uint64_t count = 1);
  /// Adds all of another ledger's entries, in their order.
  void merge(const QualityLedger& other);
  const std::vector<QualityEntry>& entries() const { return entries_; }
  bool contains(std::string_view id) const;
  /// The worst severity present; info when empty.
  Severity worst() const;

 private:
  std::vector<QualityEntry> entries_;
};

}  // namespace kernwatt
