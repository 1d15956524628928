// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kernwatt::readers::kineto {

/// Where one event ends and reading can go on, in text whose quotes cannot be trusted.
struct EventBoundary {
  std::size_t end = 0;     ///< after the event's closing brace
  std::size_t resume = 0;  ///< at the next event's opening brace, or at the array's closing bracket
};

/// The first place at or after `from` that can hardly be anything but the end of an event: a closing brace, then
/// either a comma and an object that begins with a key of the trace-event format, or the end of the array.
/// `text_is_complete`: nothing follows the text, so its end counts as the end of the array's context.
std::optional<EventBoundary> find_event_boundary(std::string_view text, std::size_t from, bool text_is_complete);

}  // namespace kernwatt::readers::kineto
