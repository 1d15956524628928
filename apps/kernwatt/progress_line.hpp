// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/kernwatt/console.hpp"

namespace kernwatt::app {

/// One line on a terminal's standard error that tells how far a long read is. Nothing is shown in the first half
/// second, nor when standard error is no terminal; the line is wiped when the object goes.
class ProgressLine {
 public:
  ProgressLine(const Console& console, std::string what);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  void update(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  std::string what_;
  Clock::time_point next_;
};

}  // namespace kernwatt::app
