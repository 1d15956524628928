// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/read_ahead.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernwatt::readers {

namespace {
constexpr std::size_t block_size = std::size_t{256} << 10U;
constexpr std::size_t block_count = 8;
}  // namespace

ReadAheadDecoder::ReadAheadDecoder(std::unique_ptr<Decoder> decoder) : decoder_(std::move(decoder)) {
  free_.resize(block_count);
  for (Block& block : free_) block.bytes.resize(block_size);
  thread_ = std::thread([this] { produce(); });
}

ReadAheadDecoder::~ReadAheadDecoder() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReadAheadDecoder::take_free(Block& block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || !free_.empty(); });
  if (stop_) return false;
  block = std::move(free_.back());
  free_.pop_back();
  return true;
}

void ReadAheadDecoder::publish(Block block, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  const bool last = error.has_value() || block.size == 0;
  if (block.size > 0) full_.push_back(std::move(block));
  if (last) {
    error_ = std::move(error);
    damage_ = decoder_->damage();
    finished_ = true;
  }
  changed_.notify_all();
}

void ReadAheadDecoder::produce() {
  for (Block block; take_free(block);) {
    block.size = 0;
    auto got = decoder_->read(block.bytes);
    if (!got) return publish(std::move(block), std::move(got).error());
    block.size = *got;
    const bool end = block.size == 0;
    publish(std::move(block), std::nullopt);
    if (end) return;
  }
}

Result<std::size_t> ReadAheadDecoder::read(std::span<char> into) {
  if (into.empty()) return std::size_t{0};
  if (current_given_ == current_.size) {
    std::unique_lock lock(mutex_);
    if (!current_.bytes.empty()) free_.push_back(std::move(current_));
    current_ = Block{};
    current_given_ = 0;
    changed_.notify_all();
    changed_.wait(lock, [this] { return finished_ || !full_.empty(); });
    if (full_.empty()) {
      if (error_) return *error_;
      return std::size_t{0};
    }
    current_ = std::move(full_.front());
    full_.pop_front();
  }
  const std::size_t count = std::min(into.size(), current_.size - current_given_);
  std::memcpy(into.data(), current_.bytes.data() + current_given_, count);
  current_given_ += count;
  return count;
}

std::string ReadAheadDecoder::damage() const {
  const std::lock_guard lock(mutex_);
  return damage_;
}

}  // namespace kernwatt::readers
