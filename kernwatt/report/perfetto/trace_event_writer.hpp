// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"

/// Private to this folder.
namespace kernwatt::report {

/// Takes a piece of the document; its error stops the writing.
using TextSink = std::function<Status(std::string_view)>;

/// Writes a document of the Chrome trace event format, event by event, without holding it. Times are given in
/// nanoseconds since the epoch and written in microseconds since `base_ns`, with all their digits.
class TraceEventWriter {
 public:
  TraceEventWriter(TextSink sink, std::int64_t base_ns) : sink_(std::move(sink)), base_ns_(base_ns) {}

  /// One event's members, from begin_event() to end_event().
  void begin_event(char phase, std::string_view name, std::uint32_t process, std::uint32_t thread);
  void category(std::string_view text) { member("cat", text); }
  void start(std::int64_t ns);
  void duration(std::int64_t ns);  ///< >= 0
  void id(std::uint64_t number);
  void arg(std::string_view key, std::string_view value);
  void arg(std::string_view key, double value);  ///< left out when it is not finite
  void arg(std::string_view key, std::int64_t value);
  /// "[1,2,3]"
  void arg_json(std::string_view key, std::string_view json);
  void end_event();

  /// A name for a process or thread; `what`: "process_name", "thread_name".
  void name_of(std::string_view what, std::uint32_t process, std::uint32_t thread, std::string_view name);
  void sort_index(std::string_view what, std::uint32_t process, std::uint32_t thread, std::int64_t index);

  /// Members of the document before its events, as JSON.
  void begin_document(std::string_view members);
  Status end_document();
  Status status() const { return status_; }

 private:
  void member(std::string_view key, std::string_view text);
  void time(std::string_view key, std::int64_t ns);
  void begin_arg(std::string_view key);
  void flush();

  TextSink sink_;
  std::int64_t base_ns_;
  std::string text_;
  bool first_event_ = true;
  bool in_args_ = false;
  Status status_;
};

/// The text as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace kernwatt::report
