// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernwatt/report/text/power_sections.hpp"

namespace kernwatt::report {
namespace {

/// More entries of a kind than this are shown by one of them.
constexpr std::size_t most_of_a_kind = 3;
constexpr std::size_t most_names = 8;

/// All that messages may begin with for one of the GPUs.
std::set<std::string, std::less<>> labels_of(const run::PowerReport& report) {
  std::set<std::string, std::less<>> labels{"the GPU"};
  for (const run::PowerGpu& gpu : report.gpus) {
    labels.insert(gpu.name);
    labels.insert({gpu.gpu.uuid, gpu.gpu.pci_bus_id});
    if (!gpu.gpu.index) continue;
    const std::string label = fmt::format("GPU {}", *gpu.gpu.index);
    labels.insert({label, label + " of " + gpu.gpu.host});
  }
  return labels;
}

/// One entry, of one GPU or of several.
struct Said {
  QualityEntry entry;
  std::string kind;  ///< the message without the GPU and its numbers; empty where it names no GPU
  std::string rest;  ///< the message without the GPU
  std::vector<std::string> gpus;
  bool alike = true;  ///< down to the numbers
};

std::string without_numbers(std::string_view text) {
  std::string kind;
  for (const char c : text) {
    const bool number = (c >= '0' && c <= '9') || c == '.';
    if (!number) kind += c;
  }
  return kind;
}

Said said(const QualityEntry& entry, const std::set<std::string, std::less<>>& labels) {
  Said result{entry, "", "", {}, true};
  const std::size_t colon = entry.message.find(": ");
  if (colon == std::string::npos || !labels.contains(std::string_view(entry.message).substr(0, colon))) return result;
  result.gpus.push_back(entry.message.substr(0, colon));
  result.rest = entry.message.substr(colon + 2);
  result.kind = without_numbers(result.rest);
  return result;
}

std::string some_of(std::vector<std::string> names) {
  const std::size_t all = names.size();
  names.resize(std::min(all, most_names));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return all > most_names ? fmt::format("{} and {} more", text, all - most_names) : text;
}

void add_folded(const Said& one, QualityLedger& folded) {
  std::string message = one.entry.message;
  if (one.gpus.size() > 1 && one.alike) message = some_of(one.gpus) + ": " + one.rest;
  if (one.gpus.size() > 1 && !one.alike)
    message +=
        fmt::format(". Likewise, each with numbers of its own: {}", some_of({one.gpus.begin() + 1, one.gpus.end()}));
  folded.add(one.entry.id, one.entry.severity, std::move(message), one.entry.count);
}

}  // namespace

QualityLedger folded_by_gpu(const QualityLedger& quality, const run::PowerReport& report) {
  if (report.gpus.size() < 2) return quality;
  const auto labels = labels_of(report);
  std::vector<Said> all;
  for (const QualityEntry& entry : quality.entries()) all.push_back(said(entry, labels));
  const auto of_a_kind = [](const Said& a, const Said& b) {
    return !a.kind.empty() && a.entry.id == b.entry.id && a.kind == b.kind;
  };
  std::vector<Said> shown;
  for (const Said& one : all) {
    const auto alike = std::count_if(all.begin(), all.end(), [&](const Said& other) { return of_a_kind(one, other); });
    const bool many = static_cast<std::size_t>(alike) > most_of_a_kind;
    const auto first = std::find_if(shown.begin(), shown.end(), [&](const Said& other) {
      return of_a_kind(one, other) && (many || other.rest == one.rest);
    });
    if (first == shown.end()) {
      shown.push_back(one);
      continue;
    }
    first->gpus.push_back(one.gpus.front());
    first->alike = first->alike && first->rest == one.rest;
    first->entry.count += one.entry.count;
    first->entry.severity = std::max(first->entry.severity, one.entry.severity);
  }
  QualityLedger folded;
  for (const Said& one : shown) add_folded(one, folded);
  return folded;
}

}  // namespace kernwatt::report
