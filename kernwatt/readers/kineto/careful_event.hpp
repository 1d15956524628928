// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "kernwatt/readers/kineto/event_fields.hpp"
#include "kernwatt/readers/kineto/text_repair.hpp"

namespace kernwatt::readers::kineto {

/// Parses the events that PlainEventParser leaves: escapes, other alphabets, and text that needs mending first.
class CarefulEventParser {
 public:
  CarefulEventParser();
  ~CarefulEventParser();
  CarefulEventParser(const CarefulEventParser&) = delete;
  CarefulEventParser& operator=(const CarefulEventParser&) = delete;

  /// False when the text is not JSON even after repair. The fields' views are valid until the next call.
  bool parse(std::string_view text, EventFields& fields, TextRepairs& repairs);

 private:
  struct Json;
  std::string_view keep(std::string_view text);

  std::unique_ptr<Json> json_;
  std::string repaired_;
  std::string shown_;
  std::deque<std::string> kept_;  // a deque, so that views stay valid
};

}  // namespace kernwatt::readers::kineto
