// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/core/result.hpp"
#include "kernwatt/readers/kineto/structural_scan.hpp"
#include "kernwatt/readers/kineto/text_window.hpp"

namespace kernwatt::readers::kineto {

enum class PieceKind : std::uint8_t { member, event };

/// One part of the document. Views are valid until the next call of DocumentSplitter::next().
struct Piece {
  PieceKind kind = PieceKind::event;
  std::string_view key;      ///< of a member of the document
  std::string_view text;     ///< the member's value, or the event's object, as it is in the file
  std::uint32_t flags = 0;   ///< ScanFlags of an event
  std::uint64_t offset = 0;  ///< of `text` in the document
  bool guessed_end = false;  ///< the event's quotes or braces do not match; its end was guessed
  bool torn = false;         ///< the document ends inside it
};

struct Place {
  std::uint64_t offset = 0;
  std::uint64_t line = 0;  ///< from 1
};

/// What was seen of the document as a whole; complete after the last piece.
struct DocumentFacts {
  bool has_events = false;                 ///< there was an array of events
  bool bare_array = false;                 ///< the document is that array
  std::optional<Place> torn_at;            ///< where it ends too early
  std::optional<Place> damaged_at;         ///< first damage outside the events
  std::optional<Place> second_document;    ///< another one follows; it was not read
  std::optional<Place> junk_after;         ///< other bytes follow
  std::optional<Place> gave_up_at;         ///< so much damage that the rest was not searched
  std::uint64_t elements_not_objects = 0;  ///< elements of the array of events that are not objects
  std::uint64_t oversized_members = 0;     ///< members too long to keep, skipped
};

/// Splits a Chrome trace, `{…, "traceEvents": […], …}` or a bare `[…]`, into its members and events, in one pass over
/// a window that moves. Brackets in strings are told apart by their quotes, not by parsing; an event whose quotes do
/// not match is cut where the next event clearly begins.
class DocumentSplitter {
 public:
  DocumentSplitter(ByteSource& source, const Progress& progress);

  /// The next piece, valid until the next call; null at the end. Errors: io; bad_data if the document begins like
  /// nothing that we know.
  Result<const Piece*> next();
  /// To be called when the event that next() gave last is not JSON: if another event begins inside it, reading goes
  /// on there. Then the event was only [0, returned length).
  std::size_t reject(const Piece& piece);
  const DocumentFacts& facts() const { return facts_; }
  /// Of a byte of the piece that next() gave last.
  Place place_in(const Piece& piece, std::size_t index) const;

 private:
  enum class Mode : std::uint8_t { start, members, seek_events, events, seek_boundary, after, finished };
  static constexpr std::size_t batch_size = 64;
  /// True when piece_ was set; false when the mode changed and next() should go on with it.
  using Step = Result<bool>;

  Result<bool> refill(std::size_t keep_from);
  Result<int> peek();  // next byte that is not space, or -1
  Place place(std::size_t index) const { return {window_.offset_of(index), window_.line_of(index)}; }
  void note_damage(std::size_t index);
  void leave_members(std::size_t index);

  Step step();
  Step begin();
  Step next_member();
  Result<bool> read_key();
  bool end_early();
  Step capture_value();
  Step seek_events();
  Step check_after();

  void start_events(std::size_t index);
  Step next_event();
  Result<bool> load_block();
  bool handle_stop(std::size_t index);
  void set_event(std::size_t begin, std::size_t end);
  Step broken_event();
  Step seek_boundary();

  TextWindow window_;
  Piece piece_;
  ScanBlocks scan_;
  DocumentFacts facts_;
  Mode mode_ = Mode::start;
  std::size_t pos_ = 0;  // where the parser outside the events stands
  std::string key_;
  std::size_t event_begin_ = 0;  // of the open event, or of the last one
  std::size_t depth_ = 0;        // brackets open since event_begin_
  std::uint32_t event_flags_ = 0;
  bool broken_ = false;         // a line end inside a string, or an event without end
  std::uint64_t searched_ = 0;  // bytes spent looking for boundaries

  ScanState state_;
  std::array<ScannedBlock, batch_size> batch_;
  std::size_t batch_index_ = 0;
  std::size_t batch_count_ = 0;
  std::size_t next_scan_ = 0;  // first byte that is not scanned yet
  std::size_t block_begin_ = 0;
  std::uint64_t stops_ = 0;
  std::uint64_t opens_ = 0;
  std::uint32_t block_flags_ = 0;
};

}  // namespace kernwatt::readers::kineto
