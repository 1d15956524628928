// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/event_boundary.hpp"

#include <algorithm>
#include <array>

namespace kernwatt::readers::kineto {
namespace {

constexpr std::array<std::string_view, 11> event_keys{"ph",  "name", "cat", "ts", "dur", "pid",
                                                      "tid", "args", "id",  "s",  "bp"};

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
  return at;
}

/// What profilers write after the events.
constexpr std::array<std::string_view, 9> document_keys{"traceName",     "displayTimeUnit",  "baseTimeNanoseconds",
                                                        "schemaVersion", "deviceProperties", "distributedInfo",
                                                        "metadata",      "otherData",        "traceEvents"};

/// Whether one of `keys` stands in quotes at or after `at`.
template <std::size_t count>
bool has_key(std::string_view text, std::size_t at, const std::array<std::string_view, count>& keys) {
  constexpr std::size_t longest_key = 24;
  const std::size_t quote = skip_space(text, at);
  if (quote >= text.size() || text[quote] != '"') return false;
  const std::string_view longest = text.substr(quote + 1, longest_key);
  const std::size_t close = longest.find('"');
  if (close == std::string_view::npos) return false;
  return std::find(keys.begin(), keys.end(), longest.substr(0, close)) != keys.end();
}

/// Whether the bracket at `at` closes the array of events, and not one inside an event.
bool closes_events(std::string_view text, std::size_t at, bool text_is_complete) {
  const std::size_t after = skip_space(text, at + 1);
  if (after >= text.size()) return text_is_complete;
  if (text[after] == ',') return has_key(text, after + 1, document_keys);
  return text[after] == '}' && text_is_complete && skip_space(text, after + 1) == text.size();
}

}  // namespace

std::optional<EventBoundary> find_event_boundary(std::string_view text, std::size_t from, bool text_is_complete) {
  for (std::size_t brace = text.find('}', from); brace != std::string_view::npos; brace = text.find('}', brace + 1)) {
    std::size_t at = skip_space(text, brace + 1);
    if (at >= text.size()) continue;
    if (text[at] == ']') {
      if (closes_events(text, at, text_is_complete)) return EventBoundary{brace + 1, at};
    } else if (text[at] == ',') {
      at = skip_space(text, at + 1);
      if (at < text.size() && text[at] == '{' && has_key(text, at + 1, event_keys)) return EventBoundary{brace + 1, at};
    }
  }
  return std::nullopt;
}

}  // namespace kernwatt::readers::kineto
