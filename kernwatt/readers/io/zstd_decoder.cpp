// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zstd.h>

#include <vector>

#include "kernwatt/core/unique_handle.hpp"
#include "kernwatt/readers/io/decoder.hpp"

namespace kernwatt::readers {
namespace {

struct ZstdContextTraits {
  using Handle = ZSTD_DCtx*;
  static Handle invalid() { return nullptr; }
  static void close(Handle handle) { ZSTD_freeDCtx(handle); }
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(RawInput& input) : input_(input), buffer_(ZSTD_DStreamInSize()), context_(ZSTD_createDCtx()) {
    if (!context_) end_with("zstd could not be initialised");
  }

  Result<std::size_t> read(std::span<char> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (!done_ && out.pos < out.size) {
      if (in_.pos == in_.size && !flushing_) {
        KERNWATT_TRY(const std::size_t got, input_.read(buffer_));
        if (got == 0) {
          done_ = true;
          if (inside_frame_) damage_ = "the zstd data ends in the middle of a frame";
          break;
        }
        in_ = ZSTD_inBuffer{buffer_.data(), got, 0};
      }
      decompress(out);
    }
    return out.pos;
  }
  std::string damage() const override { return damage_; }

 private:
  void decompress(ZSTD_outBuffer& out) {
    const std::size_t code = ZSTD_decompressStream(context_.get(), &out, &in_);
    if (ZSTD_isError(code) != 0) {
      end_with(fmt::format("the zstd data is damaged ({})", ZSTD_getErrorName(code)));
      return;
    }
    inside_frame_ = code != 0;
    flushing_ = inside_frame_ && out.pos == out.size;  // more output may wait without further input
  }
  void end_with(std::string why) {
    damage_ = std::move(why);
    done_ = true;
  }

  RawInput& input_;
  std::vector<char> buffer_;
  UniqueHandle<ZstdContextTraits> context_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::string damage_;
  bool inside_frame_ = false;
  bool flushing_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder(RawInput& input) { return std::make_unique<ZstdDecoder>(input); }

}  // namespace kernwatt::readers
