// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/csv/csv_reader.hpp"

#include <algorithm>

namespace kernwatt::readers {

namespace {

constexpr std::size_t block_size = std::size_t{256} << 10U;
constexpr std::size_t give_up_without_line_end = std::size_t{64} << 20U;

// Removes one of each pair of quotes, in place; returns the new end.
std::size_t unescape(std::string& buffer, std::size_t begin, std::size_t end) {
  std::size_t to = begin;
  for (std::size_t from = begin; from < end; ++from) {
    buffer[to++] = buffer[from];
    if (buffer[from] == '"' && from + 1 < end && buffer[from + 1] == '"') ++from;
  }
  return to;
}

}  // namespace

CsvReader::CsvReader(ByteSource& source, const CsvOptions& options, const Progress& progress)
    : source_(source), options_(options), progress_(progress) {}

Result<bool> CsvReader::refill() {
  if (at_end_) return false;
  if (!started_ && options_.decode_text) {
    KERNWATT_TRY(const std::string_view head, source_.peek(4096));
    decoder_.detect(head);
  }
  started_ = true;
  buffer_.erase(0, begin_);
  begin_ = 0;
  std::size_t count = 0;
  if (options_.decode_text) {
    raw_.resize(block_size);
    KERNWATT_TRY(count, source_.read(raw_));
    decoder_.decode(std::string_view(raw_).substr(0, count), buffer_);
  } else {
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + block_size);
    KERNWATT_TRY(count, source_.read(std::span<char>(buffer_).subspan(kept)));
    buffer_.resize(kept + count);
  }
  at_end_ = count == 0;
  if (progress_) progress_(source_.bytes_read_from_file(), source_.file_size());
  return true;
}

CsvReader::Scan CsvReader::scan_quoted(std::size_t& position, Cell& cell) const {
  cell.begin = position + 1;
  std::size_t at = cell.begin;
  while (true) {
    const std::size_t quote = buffer_.find('"', at);
    if (quote == std::string::npos) {
      const bool runs_away = at_end_ || buffer_.size() - cell.begin > options_.longest_quoted;
      return runs_away ? Scan::stray_quote : Scan::need_more;
    }
    at = quote;
    if (at - cell.begin > options_.longest_quoted) return Scan::stray_quote;
    if (at + 1 == buffer_.size() && !at_end_) return Scan::need_more;
    if (at + 1 < buffer_.size() && buffer_[at + 1] == '"') {
      cell.escaped = true;
      at += 2;
      continue;
    }
    std::size_t after = at + 1;
    while (after < buffer_.size() && (buffer_[after] == ' ' || buffer_[after] == '\r')) ++after;
    if (after == buffer_.size() && !at_end_) return Scan::need_more;
    if (after == buffer_.size() || buffer_[after] == options_.delimiter || buffer_[after] == '\n') {
      cell.end = at;
      position = after;
      return Scan::record;
    }
    at = after;  // a quote inside the cell, not doubled: a letter
  }
}

CsvReader::Scan CsvReader::scan(bool honour_quotes) {
  found_.clear();
  std::size_t position = begin_;
  while (true) {
    Cell cell;
    std::size_t first = position;
    while (first < buffer_.size() && buffer_[first] == ' ') ++first;
    if (honour_quotes && first < buffer_.size() && buffer_[first] == '"') {
      position = first;
      const Scan scanned = scan_quoted(position, cell);
      if (scanned != Scan::record) return scanned;
    } else {
      cell.begin = position;
      const char* data = buffer_.data();
      const std::size_t size = buffer_.size();
      while (position < size && data[position] != options_.delimiter && data[position] != '\n') ++position;
      cell.end = position;
    }
    found_.push_back(cell);
    if (position == buffer_.size()) {
      if (!at_end_) return Scan::need_more;
      record_end_ = position;
      terminated_ = false;
      return Scan::record;
    }
    if (buffer_[position++] == '\n') {
      record_end_ = position;
      terminated_ = true;
      return Scan::record;
    }
  }
}

bool CsvReader::is_blank_record() const {
  if (found_.size() != 1) return false;
  const auto* first = buffer_.data() + found_[0].begin;
  const auto* last = buffer_.data() + found_[0].end;
  return std::all_of(first, last, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

void CsvReader::publish(std::vector<std::string_view>& cells) {
  const std::string_view record = std::string_view(buffer_).substr(begin_, record_end_ - begin_);
  lines_in_record_ = static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'));
  cells.clear();
  for (const Cell& cell : found_) {
    const std::size_t end = cell.escaped ? unescape(buffer_, cell.begin, cell.end) : cell.end;
    cells.push_back(std::string_view(buffer_).substr(cell.begin, end - cell.begin));
  }
  std::string_view& last = cells.back();
  if (!last.empty() && last.back() == '\r') last.remove_suffix(1);
}

Result<void> CsvReader::skip_long_line() {
  ++skipped_long_;
  std::size_t skipped = 0;
  while (true) {
    const std::size_t line_end = buffer_.find('\n', begin_);
    if (line_end != std::string::npos) {
      begin_ = line_end + 1;
      ++line_;
      return {};
    }
    skipped += buffer_.size() - begin_;
    begin_ = buffer_.size();
    if (at_end_) return {};
    if (skipped > give_up_without_line_end) {
      return Error{ErrorCode::bad_data, "no line end in 64 MiB: this is not a text table", {}};
    }
    KERNWATT_CHECK(refill());
  }
}

Result<bool> CsvReader::next(std::vector<std::string_view>& cells) {
  if (!started_) KERNWATT_CHECK(refill());
  bool honour_quotes = true;
  while (true) {
    if (begin_ == buffer_.size() && at_end_) return false;
    const Scan scanned = scan(honour_quotes);
    if (scanned == Scan::stray_quote) {
      ++stray_quotes_;
      honour_quotes = false;
    } else if (scanned == Scan::need_more) {
      if (buffer_.size() - begin_ > options_.longest_record) {
        KERNWATT_CHECK(skip_long_line());
      } else {
        KERNWATT_CHECK(refill());
      }
    } else {
      const bool blank = is_blank_record();
      if (!blank) publish(cells);
      record_line_ = line_;
      line_ += blank ? 1 : lines_in_record_;
      begin_ = record_end_;
      if (!blank) return true;
      honour_quotes = true;
    }
  }
}

}  // namespace kernwatt::readers
