// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace kernwatt::app {
namespace {

/// A line that cannot be shown is no failure of the work behind it.
void show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressLine::ProgressLine(const Console& console, std::string what)
    : enabled_(console.shows_progress), what_(std::move(what)), next_(Clock::now() + std::chrono::milliseconds(500)) {}

ProgressLine::~ProgressLine() {
  if (shown_) show("\r\x1b[K");
}

void ProgressLine::update(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total) {
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  std::string line = fmt::format("\r\x1b[K{}: {} MB", what_, bytes_read / 1'000'000);
  if (bytes_total && *bytes_total > 0)
    line += fmt::format(" of {} MB, {:.0f} %", *bytes_total / 1'000'000,
                        100.0 * static_cast<double>(bytes_read) / static_cast<double>(*bytes_total));
  show(line);
  shown_ = true;
}

}  // namespace kernwatt::app
