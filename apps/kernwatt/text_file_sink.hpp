// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "apps/kernwatt/output_target.hpp"

namespace kernwatt::app {

/// A long text that is written piece by piece: to a file, which appears whole or not at all, to standard output or to a
/// pipe; compressed when the name ends in ".gz".
class TextFileSink {
 public:
  static Result<TextFileSink> open(const OutputTarget& output, bool force, const Console& console);
  TextFileSink(TextFileSink&&) noexcept;
  TextFileSink& operator=(TextFileSink&&) noexcept;
  TextFileSink(const TextFileSink&) = delete;
  TextFileSink& operator=(const TextFileSink&) = delete;
  ~TextFileSink();

  /// Errors: io.
  Status write(std::string_view text);
  /// Ends the compression and gives the file its name. Errors: io.
  Status finish();

 private:
  struct State;
  explicit TextFileSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernwatt::app
