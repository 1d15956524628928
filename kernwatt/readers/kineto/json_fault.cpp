// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <vector>

#include "kernwatt/readers/kineto/text_repair.hpp"

namespace kernwatt::readers::kineto {
namespace {

constexpr std::size_t deepest = 512;

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }
bool is_number_byte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '+' || byte == '-' || byte == '.' || byte == 'e' || byte == 'E';
}
bool ends_token(char byte) {
  return is_space(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':' || byte == '"';
}

/// A checker without recursion, used only on text that a parser has refused, to say where and why.
class FaultFinder {
 public:
  explicit FaultFinder(std::string_view text) : text_(text) {}

  std::optional<JsonFault> run() {
    expect_ = Expect::value;
    while (skip_space()) {
      if (!step()) return JsonFault{at_, why_};
      if (expect_ == Expect::nothing) {
        return skip_space() ? std::optional(JsonFault{at_, "the end of the event"}) : std::nullopt;
      }
    }
    return JsonFault{at_, open_.empty() ? "a value" : "the end of what is open"};
  }

 private:
  enum class Expect : std::uint8_t { value, value_or_end, key, key_or_end, colon, separator, nothing };

  bool skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size();
  }
  bool fail(std::string_view why) {
    why_ = why;
    return false;
  }
  void after_value() { expect_ = open_.empty() ? Expect::nothing : Expect::separator; }

  bool step() {
    const char byte = text_[at_];
    switch (expect_) {
      case Expect::value_or_end:
        if (byte == ']') return close(']');
        return value();
      case Expect::value:
        return value();
      case Expect::key_or_end:
        if (byte == '}') return close('}');
        [[fallthrough]];
      case Expect::key:
        if (byte != '"') return fail("a key in double quotes");
        expect_ = Expect::colon;
        return string();
      case Expect::colon:
        if (byte != ':') return fail("a colon after the key");
        ++at_;
        expect_ = Expect::value;
        return true;
      case Expect::separator:
        if (byte == '}' || byte == ']') return close(byte);
        if (byte != ',') return fail("a comma or a closing bracket");
        ++at_;
        expect_ = open_.back() == '}' ? Expect::key : Expect::value;
        return true;
      case Expect::nothing:
        break;
    }
    return false;
  }

  bool close(char byte) {
    if (open_.back() != byte) return fail(open_.back() == '}' ? "'}'" : "']'");
    open_.pop_back();
    ++at_;
    after_value();
    return true;
  }

  bool value() {
    const char byte = text_[at_];
    if (byte == '{' || byte == '[') {
      if (open_.size() >= deepest) return fail("less nesting than 512 levels");
      open_.push_back(byte == '{' ? '}' : ']');
      expect_ = byte == '{' ? Expect::key_or_end : Expect::value_or_end;
      ++at_;
      return true;
    }
    after_value();
    return byte == '"' ? string() : scalar();
  }

  bool string() {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      if (byte < 0x20) {
        at_ = i;
        return fail("a closing quote before this control character");
      }
      if (byte == '\\') {
        ++i;
      } else if (byte == '"') {
        at_ = i + 1;
        return true;
      }
    }
    return fail("a closing quote for the string that begins here");
  }

  bool scalar() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_token(text_[at_])) ++at_;
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token == "true" || token == "false" || token == "null") return true;
    const std::size_t first = token.starts_with('-') ? 1 : 0;
    if (token.size() > first && std::isdigit(static_cast<unsigned char>(token[first])) != 0 &&
        std::all_of(token.begin(), token.end(), is_number_byte)) {
      return true;
    }
    at_ = begin;
    return fail("a JSON value");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::value;
  std::vector<char> open_;
  std::string_view why_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text) { return FaultFinder(text).run(); }

}  // namespace kernwatt::readers::kineto
