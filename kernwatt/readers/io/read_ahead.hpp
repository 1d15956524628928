// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "kernwatt/readers/io/decoder.hpp"

namespace kernwatt::readers {

/// Runs another decoder on a thread of its own, a few blocks ahead of its reader.
class ReadAheadDecoder final : public Decoder {
 public:
  explicit ReadAheadDecoder(std::unique_ptr<Decoder> decoder);
  ~ReadAheadDecoder() override;
  Result<std::size_t> read(std::span<char> into) override;
  std::string damage() const override;

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
  };
  void produce();
  bool take_free(Block& block);
  void publish(Block block, std::optional<Error> error);

  std::unique_ptr<Decoder> decoder_;  // used by the thread only, until finished_
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_;
  std::vector<Block> free_;
  std::optional<Error> error_;
  std::string damage_;
  bool finished_ = false;
  bool stop_ = false;
  Block current_;  // used by the reader only
  std::size_t current_given_ = 0;
  std::thread thread_;
};

}  // namespace kernwatt::readers
