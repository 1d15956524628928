// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

namespace kernwatt::app {
namespace {

bool environment_allows_colour() {
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: any value but the empty one
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb";
}

/// The first of the three that is set decides, as in the C library. Without any, what is common today is assumed.
bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos ||
           locale.find("UTF8") != std::string_view::npos || locale.find("utf-8") != std::string_view::npos;
  }
  return true;
}

/// COLUMNS, as a user or a pager exports it. A shell's own variable of that name does not reach programs.
std::optional<std::size_t> columns_asked_for() {
  const char* value = std::getenv("COLUMNS");
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  std::size_t columns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || columns == 0) return std::nullopt;
  return std::clamp<std::size_t>(columns, 80, 400);
}

}  // namespace

Console Console::detect() {
  Console console;
  console.utf8 = locale_is_utf8();
  console.shows_progress = ::isatty(STDERR_FILENO) == 1;
  const std::optional<std::size_t> asked = columns_asked_for();
  console.width = asked.value_or(console.width);
  if (::isatty(STDOUT_FILENO) != 1) return console;
  console.is_terminal = true;
  console.colour = environment_allows_colour();
  if (asked) return console;
  winsize size{};
  // A wider line than 160 columns is harder to follow with the eye, and names rarely need it.
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    console.width = std::clamp<std::size_t>(size.ws_col, 80, 160);
  return console;
}

Status Console::print(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return Error{ErrorCode::io, "", ""};
    if (written < 0)
      return Error{ErrorCode::io, "cannot be written: " + std::generic_category().message(errno), "standard output"};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace kernwatt::app
