// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/kineto/kineto.hpp"
#include "tests/unit/readers/trace_fixture.hpp"

namespace kernwatt::readers {

inline Result<run::Trace> read_text(std::string text) {
  KERNWATT_TRY(const auto source, ByteSource::from_memory(std::move(text)));
  return read_kineto(*source, "test.json", {});
}

/// A trace document around events.
inline std::string document(std::string_view events, std::string_view members = "\"schemaVersion\": 1") {
  return fmt::format("{{{}, \"traceEvents\": [{}]}}", members, events);
}

struct EventText {
  std::string category;
  std::string name;
  std::string start = "100";
  std::string duration = "10";
  std::string arguments{};
  std::string process = "9";
  std::string thread = "9";
  std::string text() const {
    return fmt::format(
        "{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, "
        "\"args\": {{{}}}}}",
        category, name, process, thread, start, duration, arguments);
  }
};

inline std::string kernel(std::string name, std::string start, std::string duration, int correlation,
                          std::string more = "") {
  return EventText{"kernel",
                   std::move(name),
                   std::move(start),
                   std::move(duration),
                   fmt::format("\"device\": 0, \"stream\": 7, \"correlation\": {}{}", correlation, more),
                   "0",
                   "7"}
      .text();
}

inline std::string launch_call(std::string start, int correlation, std::string thread = "9",
                               std::string name = "cudaLaunchKernel") {
  return EventText{
      "cuda_runtime",   std::move(name), std::move(start), "3", fmt::format("\"correlation\": {}", correlation), "9",
      std::move(thread)}
      .text();
}

}  // namespace kernwatt::readers
