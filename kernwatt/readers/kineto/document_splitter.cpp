// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/document_splitter.hpp"

#include <algorithm>
#include <bit>

#include "kernwatt/readers/kineto/event_boundary.hpp"

namespace kernwatt::readers::kineto {

namespace {
constexpr std::size_t longest_event = std::size_t{4} << 20U;
/// Each broken event may cost a search over longest_event; this bounds their sum.
constexpr std::uint64_t search_budget = std::uint64_t{1} << 30U;
}  // namespace

void DocumentSplitter::start_events(std::size_t index) {
  facts_.has_events = true;
  mode_ = Mode::events;
  state_ = {};
  batch_index_ = batch_count_ = 0;
  next_scan_ = index;
  stops_ = 0;
  depth_ = 0;
  broken_ = false;
}

/// Makes the next 64 bytes the current block; false at the end of the document.
Result<bool> DocumentSplitter::load_block() {
  if (batch_index_ == batch_count_) {
    while (window_.size() < next_scan_ + scan_block_size && !window_.at_end()) {
      KERNWATT_CHECK(refill(depth_ > 0 ? event_begin_ : next_scan_));
    }
    if (next_scan_ >= window_.size()) return false;
    const std::size_t whole = (window_.size() - next_scan_) / scan_block_size;
    batch_count_ = std::clamp<std::size_t>(whole, 1, batch_size);
    scan_(window_.data() + next_scan_, batch_count_, state_, batch_.data());
    block_begin_ = next_scan_ - scan_block_size;
    next_scan_ += batch_count_ * scan_block_size;
    batch_index_ = 0;
  }
  const ScannedBlock& block = batch_[batch_index_++];
  block_begin_ += scan_block_size;
  stops_ = block.stops;
  opens_ = block.opens;
  block_flags_ = block.flags;
  event_flags_ |= block.flags;
  if (depth_ > 0 && block_begin_ - event_begin_ > longest_event) broken_ = true;
  return true;
}

inline void DocumentSplitter::set_event(std::size_t begin, std::size_t end) {
  piece_.kind = PieceKind::event;
  piece_.text = window_.view(begin, end);
  piece_.flags = event_flags_;
  piece_.offset = window_.offset_of(begin);
  piece_.guessed_end = piece_.torn = false;
}

/// A bracket outside strings, or a line end in one. True when an event is complete.
inline bool DocumentSplitter::handle_stop(std::size_t index) {
  const char byte = window_.data()[index];
  if (byte == '{' || byte == '[') {
    if (depth_++ == 0) {
      event_begin_ = index;
      event_flags_ = block_flags_;
    }
  } else if (byte == '\n') {
    if (depth_ == 0) event_begin_ = index;
    broken_ = true;
  } else if (depth_ == 0) {
    pos_ = index + 1;
    mode_ = facts_.bare_array ? Mode::after : Mode::members;
  } else if (--depth_ == 0) {
    if (window_.data()[event_begin_] == '{') {
      set_event(event_begin_, index + 1);
      return true;
    }
    ++facts_.elements_not_objects;
  }
  return false;
}

DocumentSplitter::Step DocumentSplitter::next_event() {
  for (;;) {
    while (stops_ != 0) {
      const std::size_t index = block_begin_ + static_cast<std::size_t>(std::countr_zero(stops_));
      stops_ &= stops_ - 1;
      if (handle_stop(index)) return true;
      if (mode_ != Mode::events) return false;
      if (broken_) return broken_event();
    }
    KERNWATT_TRY(const bool more, load_block());
    if (!more || broken_) return broken_event();
  }
}

/// The open event has no end that its quotes and braces agree on: cut it where another one clearly begins.
DocumentSplitter::Step DocumentSplitter::broken_event() {
  if (!broken_ && depth_ == 0 && state_.in_string == 0) {  // the document ended between two events
    if (!facts_.bare_array) facts_.torn_at = place(window_.size());
    mode_ = Mode::finished;
    return false;
  }
  if (depth_ == 0 && !broken_) event_begin_ = window_.size();
  for (;;) {
    const std::string_view rest = window_.view(event_begin_, window_.size());
    searched_ += rest.size();
    if (const auto boundary = find_event_boundary(rest, 0, window_.at_end())) {
      set_event(event_begin_, event_begin_ + boundary->end);
      piece_.guessed_end = true;
      start_events(event_begin_ + boundary->resume);
      return true;
    }
    if (window_.at_end() || rest.size() > longest_event) break;
    KERNWATT_CHECK(refill(event_begin_));
  }
  set_event(event_begin_, window_.size());
  piece_.guessed_end = true;
  piece_.torn = window_.at_end();
  pos_ = window_.size();
  mode_ = piece_.torn ? Mode::finished : Mode::seek_boundary;
  if (piece_.torn) facts_.torn_at = place(window_.size());
  if (searched_ > search_budget) {
    facts_.gave_up_at = place(event_begin_);
    mode_ = Mode::finished;
  }
  return true;
}

/// Goes on after damage for which no boundary was in reach.
DocumentSplitter::Step DocumentSplitter::seek_boundary() {
  constexpr std::size_t overlap = 256;  // a boundary is shorter than this unless padded with space
  for (;;) {
    const std::string_view rest = window_.view(pos_, window_.size());
    if (const auto boundary = find_event_boundary(rest, 0, window_.at_end())) {
      start_events(pos_ + boundary->resume);
      return false;
    }
    if (window_.at_end()) {
      facts_.torn_at = place(window_.size());
      mode_ = Mode::finished;
      return false;
    }
    pos_ = std::max(pos_, window_.size() - std::min(window_.size(), overlap));
    KERNWATT_CHECK(refill(pos_));
  }
}

std::size_t DocumentSplitter::reject(const Piece& piece) {
  if (piece.guessed_end || mode_ == Mode::finished) return piece.text.size();
  searched_ += piece.text.size();
  const auto boundary = find_event_boundary(piece.text, 1, false);
  if (!boundary) return piece.text.size();
  const std::size_t begin = static_cast<std::size_t>(piece.text.data() - window_.data());
  start_events(begin + boundary->resume);
  return boundary->end;
}

}  // namespace kernwatt::readers::kineto
