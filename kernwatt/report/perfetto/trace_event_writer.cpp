// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/perfetto/trace_event_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character character = take_character(text);
    if (character.code == '"' || character.code == '\\') {
      out += '\\';
      out += static_cast<char>(character.code);
    } else if (character.code < 0x20 || character.code == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(character.code));
    } else {
      out += character.valid ? character.bytes : std::string_view("\xef\xbf\xbd");
    }
  }
  return out + '"';
}

void TraceEventWriter::begin_document(std::string_view members) {
  text_ += "{\n";
  text_ += members;
  text_ += "\"traceEvents\": [";
}

Status TraceEventWriter::end_document() {
  text_ += "\n]\n}\n";
  flush();
  return status_;
}

void TraceEventWriter::flush() {
  if (status_ && !text_.empty()) status_ = sink_(text_);
  text_.clear();
}

void TraceEventWriter::begin_event(char phase, std::string_view name, std::uint32_t process, std::uint32_t thread) {
  text_ += std::exchange(first_event_, false) ? "\n" : ",\n";
  fmt::format_to(std::back_inserter(text_), R"({{"ph":"{}","name":{},"pid":{},"tid":{})", phase, json_string(name),
                 process, thread);
}

void TraceEventWriter::member(std::string_view key, std::string_view text) {
  fmt::format_to(std::back_inserter(text_), R"(,"{}":{})", key, json_string(text));
}

void TraceEventWriter::time(std::string_view key, std::int64_t ns) {
  const std::uint64_t magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  fmt::format_to(std::back_inserter(text_), R"(,"{}":{}{}.{:03})", key, ns < 0 ? "-" : "", magnitude / 1000,
                 magnitude % 1000);
}

void TraceEventWriter::start(std::int64_t ns) {
  std::int64_t since = 0;
  if (__builtin_sub_overflow(ns, base_ns_, &since)) since = 0;
  time("ts", since);
}

void TraceEventWriter::duration(std::int64_t ns) { time("dur", ns < 0 ? 0 : ns); }

void TraceEventWriter::id(std::uint64_t number) { fmt::format_to(std::back_inserter(text_), R"(,"id":"{}")", number); }

void TraceEventWriter::begin_arg(std::string_view key) {
  text_ += std::exchange(in_args_, true) ? "," : ",\"args\":{";
  text_ += json_string(key);
  text_ += ':';
}

void TraceEventWriter::arg(std::string_view key, std::string_view value) {
  begin_arg(key);
  text_ += json_string(value);
}

void TraceEventWriter::arg(std::string_view key, double value) {
  if (!std::isfinite(value)) return;
  begin_arg(key);
  fmt::format_to(std::back_inserter(text_), "{}", value == 0 ? 0.0 : value);
}

void TraceEventWriter::arg(std::string_view key, std::int64_t value) {
  begin_arg(key);
  fmt::format_to(std::back_inserter(text_), "{}", value);
}

void TraceEventWriter::arg_json(std::string_view key, std::string_view json) {
  begin_arg(key);
  text_ += json;
}

void TraceEventWriter::end_event() {
  text_ += std::exchange(in_args_, false) ? "}}" : "}";
  if (text_.size() >= piece) flush();
}

void TraceEventWriter::name_of(std::string_view what, std::uint32_t process, std::uint32_t thread,
                               std::string_view name) {
  begin_event('M', what, process, thread);
  arg("name", name);
  end_event();
}

void TraceEventWriter::sort_index(std::string_view what, std::uint32_t process, std::uint32_t thread,
                                  std::int64_t index) {
  begin_event('M', what, process, thread);
  arg("sort_index", index);
  end_event();
}

}  // namespace kernwatt::report
