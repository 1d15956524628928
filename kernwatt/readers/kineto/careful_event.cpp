// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/careful_event.hpp"

#include <simdjson.h>

namespace kernwatt::readers::kineto {

namespace ondemand = simdjson::ondemand;

struct CarefulEventParser::Json {
  ondemand::parser parser;
};

CarefulEventParser::CarefulEventParser() : json_(std::make_unique<Json>()) {}
CarefulEventParser::~CarefulEventParser() = default;

std::string_view CarefulEventParser::keep(std::string_view text) {
  if (show_control_characters(text, shown_)) text = shown_;
  return kept_.emplace_back(text);
}

namespace {

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

/// The value as the text that EventFields wants; false when it is not JSON.
bool text_of(ondemand::value value, ondemand::json_type type, std::string_view& out) {
  switch (type) {
    case ondemand::json_type::string:
      return value.get_string().get(out) == simdjson::SUCCESS;
    case ondemand::json_type::array: {
      ondemand::array array;
      return value.get_array().get(array) == simdjson::SUCCESS && array.raw_json().get(out) == simdjson::SUCCESS;
    }
    case ondemand::json_type::object:
    case ondemand::json_type::null:
      return true;
    default:
      out = trimmed(value.raw_json_token());
      return true;
  }
}

/// Calls visit(key, value) for each member; false at the first that is not JSON.
template <class Visit>
bool for_each_member(ondemand::object object, Visit visit) {
  for (auto member : object) {
    std::string_view key;
    ondemand::value value;
    if (member.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (member.value().get(value) != simdjson::SUCCESS || !visit(key, value)) return false;
  }
  return true;
}

}  // namespace

bool CarefulEventParser::parse(std::string_view text, EventFields& fields, TextRepairs& repairs) {
  fields = EventFields{};
  kept_.clear();
  repairs = repair_json(text, repaired_);
  // on-demand parsing skips what is not asked for, so that faults in other members would pass unseen
  if (find_json_fault(repaired_)) return false;
  repaired_.reserve(repaired_.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  ondemand::object object;
  if (json_->parser.iterate(repaired_).get(document) != simdjson::SUCCESS) return false;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  const auto store = [&](EventField field, ondemand::value value) {
    std::string_view out;
    ondemand::json_type type{};
    if (field == nullptr) return true;
    if (value.type().get(type) != simdjson::SUCCESS || !text_of(value, type, out)) return false;
    if (type == ondemand::json_type::array) {
      if (takes_array(field)) fields.*field = kept_.emplace_back(out);
    } else {
      fields.*field = keep(out);
    }
    return true;
  };
  const bool good = for_each_member(object, [&](std::string_view key, ondemand::value value) {
    ondemand::object arguments;
    if (key == "args" && value.get_object().get(arguments) == simdjson::SUCCESS) {
      return for_each_member(arguments, [&](std::string_view name, ondemand::value argument) {
        return store(field_of_args(name), argument);
      });
    }
    return store(field_of_event(key), value);
  });
  fields.kind = classify(fields.phase, fields.category);
  return good;
}

}  // namespace kernwatt::readers::kineto
