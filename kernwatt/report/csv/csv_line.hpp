// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/report/utf8.hpp"
#include "kernwatt/run/attribution.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// One line of CSV (RFC 4180, but with "\n"), written into `out` as cells are added; what is not there is an empty
/// cell.
class CsvLine {
 public:
  explicit CsvLine(std::string& out) : out_(out) {}
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;
  ~CsvLine() { out_ += '\n'; }

  void add(std::string_view text) {
    separate();
    std::string clean;
    for (const char c : repair_utf8(text)) clean += c == '\0' ? std::string("\\x00") : std::string(1, c);
    if (clean.find_first_of(",\"\r\n") == std::string::npos) {
      out_ += clean;
      return;
    }
    out_ += '"';
    for (const char c : clean) out_.append(c == '"' ? 2 : 1, c);
    out_ += '"';
  }
  void add(double number) {
    separate();
    if (std::isfinite(number)) fmt::format_to(std::back_inserter(out_), "{}", number);
  }
  template <std::integral T>
  void add(T number) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", number);
  }
  template <class T>
  void add(const std::optional<T>& maybe) {
    maybe ? add(*maybe) : separate();
  }
  void add(const std::optional<run::Interval>& interval) {
    interval ? add(interval->low) : separate();
    interval ? add(interval->high) : separate();
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

}  // namespace kernwatt::report
