// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "kernwatt/readers/kineto/document_splitter.hpp"

// The part of DocumentSplitter outside the events: little text, so byte by byte.
namespace kernwatt::readers::kineto {

namespace {

constexpr std::size_t longest_key = 4096;
constexpr std::size_t longest_member = std::size_t{8} << 20U;
constexpr std::string_view events_key = "traceEvents";

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

Error not_json(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return {ErrorCode::bad_data, "is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)", {}};
  }
  if (text.empty()) return {ErrorCode::bad_data, "holds nothing but white space", {}};
  const auto first = static_cast<unsigned char>(text.front());
  if (first == 0) return {ErrorCode::bad_data, "begins with NUL bytes: it was not written completely", {}};
  return {ErrorCode::bad_data,
          fmt::format("is not a JSON trace: it begins with the byte 0x{:02x} where '{{' or '[' was expected", first),
          {}};
}

/// Tells where a JSON value ends, byte by byte.
class ValueEnd {
 public:
  enum class Step : std::uint8_t { more, ends_here, ends_before, line_end_in_string };
  Step feed(char byte) {
    if (in_string_) return feed_string(byte);
    if (byte == '"') {
      in_string_ = true;
      return Step::more;
    }
    if (byte == '{' || byte == '[') ++depth_;
    const bool closes = byte == '}' || byte == ']';
    if (depth_ == 0) return closes || byte == ',' || is_space(byte) ? Step::ends_before : Step::more;
    if (closes && --depth_ == 0) return Step::ends_here;
    return Step::more;
  }

 private:
  Step feed_string(char byte) {
    if (byte == '\n') return Step::line_end_in_string;
    if (escaped_) {
      escaped_ = false;
    } else if (byte == '\\') {
      escaped_ = true;
    } else if (byte == '"') {
      in_string_ = false;
      if (depth_ == 0) return Step::ends_here;
    }
    return Step::more;
  }
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace

DocumentSplitter::DocumentSplitter(ByteSource& source, const Progress& progress)
    : window_(source, progress), scan_(available_scans().front().scan) {}

Result<bool> DocumentSplitter::refill(std::size_t keep_from) {
  KERNWATT_TRY(const bool more, window_.advance(keep_from));
  const auto shift = [keep_from](std::size_t& index) { index -= std::min(index, keep_from); };
  shift(pos_);
  shift(event_begin_);
  shift(next_scan_);
  return more;
}

Result<int> DocumentSplitter::peek() {
  for (;;) {
    while (pos_ < window_.size() && is_space(window_.data()[pos_])) ++pos_;
    if (pos_ < window_.size()) return static_cast<int>(static_cast<unsigned char>(window_.data()[pos_]));
    KERNWATT_TRY(const bool more, refill(pos_));
    if (!more) return -1;
  }
}

Place DocumentSplitter::place_in(const Piece& piece, std::size_t index) const {
  return place(static_cast<std::size_t>(piece.text.data() - window_.data()) + index);
}

void DocumentSplitter::note_damage(std::size_t index) {
  if (!facts_.damaged_at) facts_.damaged_at = place(index);
}

/// The members' syntax is broken at `index`: look for events from there on.
void DocumentSplitter::leave_members(std::size_t index) {
  note_damage(index);
  pos_ = index;
  mode_ = facts_.has_events ? Mode::seek_boundary : Mode::seek_events;
}

Result<const Piece*> DocumentSplitter::next() {
  while (mode_ != Mode::finished) {
    KERNWATT_TRY(const bool got, mode_ == Mode::events ? next_event() : step());
    if (got) return &piece_;
  }
  return nullptr;
}

DocumentSplitter::Step DocumentSplitter::step() {
  switch (mode_) {
    case Mode::start:
      return begin();
    case Mode::members:
      return next_member();
    case Mode::seek_events:
      return seek_events();
    case Mode::events:
      return next_event();
    case Mode::seek_boundary:
      return seek_boundary();
    case Mode::after:
      return check_after();
    case Mode::finished:
      break;
  }
  return false;
}

DocumentSplitter::Step DocumentSplitter::begin() {
  KERNWATT_CHECK(refill(0));
  if (window_.view(0, window_.size()).starts_with("\xef\xbb\xbf")) pos_ = 3;
  KERNWATT_TRY(const int first, peek());
  if (first == '[') {
    facts_.bare_array = true;
    start_events(pos_ + 1);
    return false;
  }
  if (first != '{') return not_json(window_.view(pos_, window_.size()));
  ++pos_;
  mode_ = Mode::members;
  return false;
}

/// Reads `"key":` into key_; false if that is not what is here.
Result<bool> DocumentSplitter::read_key() {
  key_.clear();
  for (std::size_t index = pos_ + 1;; ++index) {
    if (index >= window_.size()) {
      const std::size_t keep = pos_;
      KERNWATT_TRY(const bool more, refill(keep));
      if (!more) return end_early();
      index -= keep;
    }
    const char byte = window_.data()[index];
    if (byte == '"') {
      pos_ = index + 1;
      break;
    }
    if (byte == '\n' || key_.size() > longest_key) return false;
    key_ += byte;
  }
  KERNWATT_TRY(const int colon, peek());
  if (colon < 0) return end_early();
  if (colon != ':') return false;
  ++pos_;
  return true;
}

/// The document ends where it should go on. Returns false for its callers' convenience.
bool DocumentSplitter::end_early() {
  facts_.torn_at = place(window_.size());
  mode_ = Mode::finished;
  return false;
}

DocumentSplitter::Step DocumentSplitter::next_member() {
  KERNWATT_TRY(int byte, peek());
  while (byte == ',') {
    ++pos_;
    KERNWATT_TRY(byte, peek());
  }
  if (byte == '}') {
    ++pos_;
    mode_ = Mode::after;
    return false;
  }
  if (byte < 0) {
    end_early();
    return false;
  }
  bool good = byte == '"';
  if (good) {
    KERNWATT_TRY(good, read_key());
  }
  if (!good) {
    if (mode_ != Mode::finished) leave_members(pos_);
    return false;
  }
  KERNWATT_TRY(byte, peek());
  if (byte == '[' && key_ == events_key) {
    start_events(pos_ + 1);
    return false;
  }
  return capture_value();
}

/// The value at pos_ as a piece. False when it was too long, or when the mode changed because it is damaged.
DocumentSplitter::Step DocumentSplitter::capture_value() {
  ValueEnd value;
  bool keep = true;
  for (std::size_t index = pos_;; ++index) {
    if (index >= window_.size()) {
      if (keep && index - pos_ > longest_member) {
        keep = false;
        ++facts_.oversized_members;
      }
      const std::size_t from = keep ? pos_ : index;
      KERNWATT_TRY(const bool more, refill(from));
      index -= from;
      if (!more) return end_early();
    }
    const auto step = value.feed(window_.data()[index]);
    if (step == ValueEnd::Step::more) continue;
    if (step == ValueEnd::Step::line_end_in_string) {
      leave_members(keep ? pos_ : index);
      return false;
    }
    const std::size_t end = step == ValueEnd::Step::ends_here ? index + 1 : index;
    if (end == pos_) {  // no value at all
      leave_members(pos_);
      return false;
    }
    piece_ = Piece{};
    piece_.kind = PieceKind::member;
    piece_.key = key_;
    piece_.text = window_.view(pos_, end);
    piece_.offset = window_.offset_of(pos_);
    pos_ = end;
    return keep;
  }
}

/// After damage before the events: looks for their key as text.
DocumentSplitter::Step DocumentSplitter::seek_events() {
  constexpr std::string_view quoted = "\"traceEvents\"";
  for (;;) {
    const std::string_view text = window_.view(pos_, window_.size());
    if (const std::size_t found = text.find(quoted); found != std::string_view::npos) {
      pos_ += found + quoted.size();
      KERNWATT_TRY(const int colon, peek());
      if (colon != ':') continue;
      ++pos_;
      KERNWATT_TRY(const int bracket, peek());
      if (bracket != '[') continue;
      start_events(pos_ + 1);
      return false;
    }
    pos_ = window_.size() - std::min(text.size(), quoted.size());
    KERNWATT_TRY(const bool more, refill(pos_));
    if (!more) {
      mode_ = Mode::finished;
      return false;
    }
  }
}

DocumentSplitter::Step DocumentSplitter::check_after() {
  KERNWATT_TRY(const int byte, peek());
  if (byte == '{' || byte == '[') {
    facts_.second_document = place(pos_);
  } else if (byte >= 0) {
    facts_.junk_after = place(pos_);
  }
  mode_ = Mode::finished;
  return false;
}

}  // namespace kernwatt::readers::kineto
