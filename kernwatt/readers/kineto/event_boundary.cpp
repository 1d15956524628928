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

bool begins_event(std::string_view text, std::size_t brace) {
  const std::size_t quote = skip_space(text, brace + 1);
  if (quote >= text.size() || text[quote] != '"') return false;
  const std::string_view longest = text.substr(quote + 1, 5);
  const std::size_t close = longest.find('"');
  if (close == std::string_view::npos) return false;
  const std::string_view key = longest.substr(0, close);
  return std::find(event_keys.begin(), event_keys.end(), key) != event_keys.end();
}

}  // namespace

std::optional<EventBoundary> find_event_boundary(std::string_view text, std::size_t from, bool text_is_complete) {
  for (std::size_t brace = text.find('}', from); brace != std::string_view::npos; brace = text.find('}', brace + 1)) {
    std::size_t at = skip_space(text, brace + 1);
    if (at >= text.size()) continue;
    if (text[at] == ']') {
      const std::size_t after = skip_space(text, at + 1);
      const bool closes = after < text.size() ? text[after] == '}' || text[after] == ',' : text_is_complete;
      if (closes) return EventBoundary{brace + 1, at};
    } else if (text[at] == ',') {
      at = skip_space(text, at + 1);
      if (at < text.size() && text[at] == '{' && begins_event(text, at)) return EventBoundary{brace + 1, at};
    }
  }
  return std::nullopt;
}

}  // namespace kernwatt::readers::kineto
