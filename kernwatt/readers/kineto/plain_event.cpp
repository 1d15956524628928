// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernwatt/readers/kineto/event_fields.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kernwatt::readers::kineto {
namespace {

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

constexpr std::array<bool, 256> table_of(std::string_view bytes) {
  std::array<bool, 256> table{};
  for (const char byte : bytes) table[static_cast<unsigned char>(byte)] = true;
  return table;
}
constexpr std::array<bool, 256> token_ends = table_of(",}] \n\t\r");
constexpr std::array<bool, 256> number_bytes = table_of("0123456789+-.eE");

#if defined(__x86_64__)
/// First byte in [at, end) that is a quote, or with `brackets` also a bracket or brace; end if there is none.
template <bool brackets>
const char* find_stop(const char* at, const char* end) {
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i found = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    if constexpr (brackets) {
      const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      found = _mm_or_si128(found, _mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
      found = _mm_or_si128(found, _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    }
    if (const int mask = _mm_movemask_epi8(found); mask != 0) return at + __builtin_ctz(static_cast<unsigned>(mask));
  }
  for (; at < end; ++at) {
    if (*at == '"') return at;
    if (brackets && (*at == '{' || *at == '[' || *at == '}' || *at == ']')) return at;
  }
  return end;
}
#else
template <bool brackets>
const char* find_stop(const char* at, const char* end) {
  for (; at < end; ++at) {
    if (*at == '"') return at;
    if (brackets && (*at == '{' || *at == '[' || *at == '}' || *at == ']')) return at;
  }
  return end;
}
#endif

/// Walks through one event. Every step returns false when the text is not what it should be.
class Walker {
 public:
  Walker(std::string_view text, EventFields& fields)
      : at_(text.data()), end_(text.data() + text.size()), fields_(fields) {}

  ParseOutcome event();

 private:
  bool skip_space() {
    if (at_<end_&& * at_> ' ') return true;  // most often there is none, or one blank
    if (end_ - at_ > 1 && *at_ == ' ' && at_[1] > ' ') {
      ++at_;
      return true;
    }
    while (at_ < end_ && is_space(*at_)) ++at_;
    return at_ < end_;
  }
  bool take(char wanted) {
    if (!skip_space() || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  /// `"key":`, and at_ at the value after it.
  bool key(std::string_view& out) { return skip_space() && string(out) && take(':') && skip_space(); }
  bool string(std::string_view& out) {
    if (*at_ != '"') return false;
    const char* close = find_stop<false>(at_ + 1, end_);
    if (close == end_) return false;
    out = {at_ + 1, static_cast<std::size_t>(close - at_ - 1)};
    at_ = close + 1;
    return true;
  }
  bool value(std::string_view& out) {
    if (*at_ == '"') return string(out);
    const char* begin = at_;
    if (*at_ == '{' || *at_ == '[' ? !nested() : !scalar()) return false;
    out = {begin, static_cast<std::size_t>(at_ - begin)};
    if (out == "null") out = {};
    return true;
  }
  void set(EventField field, std::string_view text, char first) {
    if (field != nullptr && (first == '[' ? takes_array(field) : first != '{')) fields_.*field = text;
  }
  bool scalar();
  bool nested();
  bool arguments();
  /// After a value: the next member, or the end of the object (`done`).
  bool next_member(bool& done) {
    if (!skip_space() || (*at_ != ',' && *at_ != '}')) return false;
    done = *at_++ == '}';
    return true;
  }
  /// Called when a field that tells the kind was read; true once it is clear that the event is of no use.
  bool of_no_use() {
    if (fields_.phase.empty()) return false;
    if (!kind_known_) {
      if (fields_.phase == "X" && fields_.category.empty()) return false;
      fields_.kind = classify(fields_.phase, fields_.category);
      kind_known_ = true;
    }
    if (fields_.kind != EventKind::python_frame) return fields_.kind == EventKind::other;
    return !fields_.name.empty() && !is_module_frame(fields_.name);
  }

  const char* at_;
  const char* end_;
  EventFields& fields_;
  bool kind_known_ = false;
};

bool Walker::scalar() {
  const char* begin = at_;
  while (at_ < end_ && number_bytes[static_cast<unsigned char>(*at_)]) ++at_;
  if (at_ > begin) {
    const bool starts_well = is_digit(*begin) || (*begin == '-' && is_digit(begin[1]));
    return starts_well && at_ < end_ && token_ends[static_cast<unsigned char>(*at_)];
  }
  while (at_ < end_ && !token_ends[static_cast<unsigned char>(*at_)]) ++at_;
  const std::string_view token(begin, static_cast<std::size_t>(at_ - begin));
  return token == "null" || token == "true" || token == "false";
}

bool Walker::nested() {
  int depth = 0;
  for (;;) {
    at_ = find_stop<true>(at_, end_);
    if (at_ == end_) return false;
    if (*at_ == '"') {
      at_ = find_stop<false>(at_ + 1, end_);
      if (at_ == end_) return false;
    } else if (*at_ == '{' || *at_ == '[') {
      ++depth;
    } else if (--depth == 0) {
      ++at_;
      return true;
    }
    ++at_;
  }
}

bool Walker::arguments() {
  ++at_;
  if (!skip_space()) return false;
  if (*at_ == '}') {
    ++at_;
    return true;
  }
  for (bool done = false; !done;) {
    std::string_view name;
    std::string_view text;
    if (!key(name)) return false;
    const char first = *at_;
    if (!value(text) || !next_member(done)) return false;
    set(field_of_args(name), text, first);
  }
  return true;
}

ParseOutcome Walker::event() {
  if (!take('{') || !skip_space()) return ParseOutcome::irregular;
  bool done = *at_ == '}';
  if (done) ++at_;
  while (!done) {
    std::string_view name;
    std::string_view text;
    if (!key(name)) return ParseOutcome::irregular;
    if (name == "args" && *at_ == '{') {
      if (!arguments()) return ParseOutcome::irregular;
    } else {
      const char first = *at_;
      if (!value(text)) return ParseOutcome::irregular;
      if (const EventField field = field_of_event(name); field != nullptr) {
        set(field, text, first);
        const bool tells_use =
            field == &EventFields::phase || field == &EventFields::category || field == &EventFields::name;
        if (tells_use && of_no_use()) return ParseOutcome::skipped;
      }
    }
    if (!next_member(done)) return ParseOutcome::irregular;
  }
  return at_ == end_ ? ParseOutcome::parsed : ParseOutcome::irregular;
}

}  // namespace

ParseOutcome parse_plain_event(std::string_view text, EventFields& fields) {
  fields = EventFields{};
  return Walker(text, fields).event();
}

}  // namespace kernwatt::readers::kineto
