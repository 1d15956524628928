// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/plain_event.hpp"

#include <cstring>

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

/// First byte in [at, end) that is a quote, or with `brackets` also a bracket or brace; end if there is none.
template <bool brackets>
const char* find_stop(const char* at, const char* end) {
#if defined(__x86_64__)
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
#endif
  for (; at < end; ++at) {
    if (*at == '"') return at;
    if (brackets && (*at == '{' || *at == '[' || *at == '}' || *at == ']')) return at;
  }
  return end;
}

/// First byte in [at, end) that no number has. Numbers differ in length, so a loop byte by byte is mispredicted.
const char* find_number_end(const char* at, const char* end) {
#if defined(__x86_64__)
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i from_plus = _mm_sub_epi8(bytes, _mm_set1_epi8('+'));  // '+' … '9' become 0 … 14
    const __m128i in_range = _mm_cmpeq_epi8(_mm_min_epu8(from_plus, _mm_set1_epi8('9' - '+')), from_plus);
    const __m128i not_wanted =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
    const __m128i exponent = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('e'));
    const __m128i wanted = _mm_or_si128(_mm_andnot_si128(not_wanted, in_range), exponent);
    if (const int mask = _mm_movemask_epi8(wanted) ^ 0xffff; mask != 0) {
      return at + __builtin_ctz(static_cast<unsigned>(mask));
    }
  }
#endif
  while (at < end && number_bytes[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

template <class Word>
bool same_ends(const char* a, const char* b, std::size_t size) {
  Word a_first;
  Word b_first;
  Word a_last;
  Word b_last;
  std::memcpy(&a_first, a, sizeof(Word));
  std::memcpy(&b_first, b, sizeof(Word));
  std::memcpy(&a_last, a + size - sizeof(Word), sizeof(Word));
  std::memcpy(&b_last, b + size - sizeof(Word), sizeof(Word));
  return ((a_first ^ b_first) | (a_last ^ b_last)) == 0;
}

/// memcmp for short texts, inline; the words may overlap.
bool same(const char* a, const char* b, std::size_t size) {
  for (; size > 16; size -= 16, a += 16, b += 16) {
    if (!same_ends<std::uint64_t>(a, b, 16)) return false;
  }
  if (size >= 8) return same_ends<std::uint64_t>(a, b, size);
  if (size >= 4) return same_ends<std::uint32_t>(a, b, size);
  return std::memcmp(a, b, size) == 0;
}

/// Walks through one event. Every step returns false when the text is not what it should be.
class Walker {
 public:
  Walker(const char* at, const char* end) : at_(at), end_(end) {}
  const char* at() const { return at_; }
  void move_to(const char* at) { at_ = at; }
  bool at_end() const { return at_ == end_; }

  bool value(std::string_view& out) {
    if (*at_ == '"') return string(out);
    const char* begin = at_;
    if (*at_ == '{' || *at_ == '[' ? !nested() : !scalar()) return false;
    out = {begin, static_cast<std::size_t>(at_ - begin)};
    if (out == "null") out = {};
    return true;
  }
  /// From the end of a value (or from the start) to the next value.
  bool gap(bool first, bool& in_arguments, bool& ends_event, EventField& field);

 private:
  bool skip_space() {
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
  bool scalar();
  bool nested();

  const char* at_;
  const char* end_;
};

bool Walker::scalar() {
  const char* begin = at_;
  at_ = find_number_end(at_, end_);
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

bool Walker::gap(bool first, bool& in_arguments, bool& ends_event, EventField& field) {
  ends_event = false;
  bool opened = first;  // just after an opening brace, where the object may end or a key follow without comma
  if (first && !take('{')) return false;
  for (;;) {
    if (!skip_space()) return false;
    if (*at_ == '}') {
      ++at_;
      if (!in_arguments) {
        ends_event = true;
        return true;
      }
      in_arguments = opened = false;
      continue;
    }
    if (!opened && !take(',')) return false;
    std::string_view name;
    if (!key(name)) return false;
    if (in_arguments || name != "args" || *at_ != '{') {
      field = in_arguments ? field_of_args(name) : field_of_event(name);
      return true;
    }
    ++at_;
    in_arguments = opened = true;
  }
}

/// Tells, as soon as phase and category are known, whether an event is of use.
class UseCheck {
 public:
  bool of_no_use(EventFields& fields) {
    if (fields.phase.empty()) return false;
    if (!kind_known_) {
      if (fields.phase == "X" && fields.category.empty()) return false;
      fields.kind = classify(fields.phase, fields.category);
      kind_known_ = true;
    }
    if (fields.kind != EventKind::python_frame) return fields.kind == EventKind::other;
    return !fields.name.empty() && !is_module_frame(fields.name);
  }

 private:
  bool kind_known_ = false;
};

}  // namespace

PlainEventParser::PlainEventParser() { gaps_.emplace_back(); }

/// The remembered gap behind `gap` that stands at `at`, or no_gap.
std::uint32_t PlainEventParser::find_next(std::uint32_t gap, const char* at, const char* end) {
  constexpr int most_tries = 32;  // a file of ever different keys must not make every event search them all
  std::uint32_t previous = no_gap;
  int tries = 0;
  for (std::uint32_t i = gaps_[gap].first_next; i != no_gap && ++tries <= most_tries;
       previous = i, i = gaps_[i].sibling) {
    const Gap& next = gaps_[i];
    if (static_cast<std::size_t>(end - at) < next.size || !same(at, next.text.data(), next.size)) continue;
    if (previous != no_gap) {
      gaps_[previous].sibling = next.sibling;
      gaps_[i].sibling = gaps_[gap].first_next;
      gaps_[gap].first_next = i;
    }
    return i;
  }
  return no_gap;
}

std::uint32_t PlainEventParser::remember(std::uint32_t before, std::string_view text, const Gap& parsed) {
  constexpr std::size_t most_gaps = 4096;
  if (text.size() > longest_gap || before == no_gap || gaps_.size() >= most_gaps) return no_gap;
  const auto index = static_cast<std::uint32_t>(gaps_.size());
  Gap gap = parsed;
  std::memcpy(gap.text.data(), text.data(), text.size());
  gap.size = static_cast<std::uint8_t>(text.size());
  gap.sibling = gaps_[before].first_next;
  gaps_.push_back(gap);
  gaps_[before].first_next = index;
  return index;
}

ParseOutcome PlainEventParser::parse(std::string_view text, EventFields& fields) {
  fields = EventFields{};
  const char* const end = text.data() + text.size();
  Walker walker(text.data(), end);
  UseCheck use;
  std::uint32_t before = 0;  // the root; no_gap after a gap that could not be remembered
  Gap current;
  for (;;) {
    const std::uint32_t known = before == no_gap ? no_gap : find_next(before, walker.at(), end);
    if (known != no_gap) {
      const Gap& gap = gaps_[known];
      walker.move_to(walker.at() + gap.size);
      current.in_arguments = gap.in_arguments;
      current.ends_event = gap.ends_event;
      current.field = gap.field;
      before = known;
    } else {
      const char* begin = walker.at();
      const bool first = begin == text.data();
      current.field = nullptr;
      if (!walker.gap(first, current.in_arguments, current.ends_event, current.field)) return ParseOutcome::irregular;
      before = remember(before, {begin, static_cast<std::size_t>(walker.at() - begin)}, current);
    }
    if (current.ends_event) return walker.at_end() ? ParseOutcome::parsed : ParseOutcome::irregular;
    if (walker.at_end()) return ParseOutcome::irregular;
    std::string_view out;
    const char kind = *walker.at();
    if (!walker.value(out)) return ParseOutcome::irregular;
    if (current.field == nullptr || kind == '{' || (kind == '[' && !takes_array(current.field))) continue;
    fields.*current.field = out;
    const bool tells_use = current.field == &EventFields::phase || current.field == &EventFields::category ||
                           current.field == &EventFields::name;
    if (tells_use && use.of_no_use(fields)) return ParseOutcome::skipped;
  }
}

}  // namespace kernwatt::readers::kineto
