// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "kernwatt/readers/io/decoder.hpp"

namespace kernwatt::readers {
namespace {

constexpr std::size_t input_size = std::size_t{128} << 10U;
constexpr int gzip_only = 15 + 16;

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(RawInput& input) : input_(input), buffer_(input_size) {
    ready_ = inflateInit2(&stream_, gzip_only) == Z_OK;
    if (!ready_) end_with("zlib could not be initialised");
  }
  ~GzipDecoder() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  Result<std::size_t> read(std::span<char> into) override;
  std::string damage() const override { return damage_; }

 private:
  Result<bool> refill();
  Status start_next_member();
  void inflate_once();
  void end_with(std::string why) {
    damage_ = std::move(why);
    done_ = true;
  }

  RawInput& input_;
  std::vector<char> buffer_;
  z_stream stream_{};
  std::string damage_;
  std::uint64_t members_ = 0;
  std::uint64_t produced_ = 0;
  bool ready_ = false;
  bool input_ended_ = false;
  bool done_ = false;
  bool between_members_ = false;
};

/// Keeps the bytes that zlib has not taken yet in front.
Result<bool> GzipDecoder::refill() {
  if (input_ended_) return false;
  KERNWATT_TRY(const std::size_t got, input_.read(buffer_));
  input_ended_ = got == 0;
  stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
  stream_.avail_in = static_cast<uInt>(got);
  return got > 0;
}

/// After a member: the next one begins with the magic bytes; zero padding (tapes, archives) is not a loss.
Status GzipDecoder::start_next_member() {
  for (;;) {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in > 0) break;
    KERNWATT_TRY(const bool more, refill());
    if (!more) {
      done_ = true;
      return {};
    }
  }
  between_members_ = false;
  if (*stream_.next_in != 0x1f) {
    end_with(fmt::format("bytes that are not gzip follow after {} decompressed bytes; they were ignored", produced_));
    return {};
  }
  inflateReset(&stream_);
  return {};
}

void GzipDecoder::inflate_once() {
  const int code = inflate(&stream_, Z_NO_FLUSH);
  if (code == Z_STREAM_END) {
    ++members_;
    between_members_ = true;
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    end_with(fmt::format("the gzip data is damaged in member {} ({})", members_ + 1,
                         stream_.msg != nullptr ? stream_.msg : "no detail"));
  }
}

Result<std::size_t> GzipDecoder::read(std::span<char> into) {
  stream_.next_out = reinterpret_cast<Bytef*>(into.data());
  stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), std::size_t{1} << 30U));
  const uInt wanted = stream_.avail_out;
  while (!done_ && stream_.avail_out > 0) {
    if (between_members_) {
      KERNWATT_CHECK(start_next_member());
      continue;
    }
    if (stream_.avail_in == 0) {
      KERNWATT_TRY(const bool more, refill());
      if (!more) {
        end_with("the gzip data ends in the middle of a member");
        break;
      }
    }
    const uInt before = stream_.avail_out;
    inflate_once();
    produced_ += before - stream_.avail_out;
  }
  return static_cast<std::size_t>(wanted - stream_.avail_out);
}

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder(RawInput& input) { return std::make_unique<GzipDecoder>(input); }

}  // namespace kernwatt::readers
