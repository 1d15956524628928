// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/byte_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernwatt/readers/io/raw_input.hpp"
#include "kernwatt/readers/io/read_ahead.hpp"

namespace kernwatt::readers {

using namespace std::string_view_literals;

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "plain";
    case Compression::gzip:
      return "gzip";
    case Compression::zstd:
      return "zstd";
  }
  return "plain";
}

struct ByteSource::State {
  std::unique_ptr<CountedInput> input;  // outlives the decoder, which reads from it
  std::unique_ptr<Decoder> decoder;
  Compression compression = Compression::none;
  std::string peeked;
  std::size_t peeked_given = 0;
};

namespace {

class PlainDecoder final : public Decoder {
 public:
  explicit PlainDecoder(RawInput& input) : input_(input) {}
  Result<std::size_t> read(std::span<char> into) override { return input_.read(into); }

 private:
  RawInput& input_;
};

struct ForeignFormat {
  std::size_t offset;
  std::string_view magic;
  std::string_view advice;
};
constexpr std::string_view zip_magic = "PK\x03\x04"sv;
constexpr std::array foreign_formats{
    ForeignFormat{0,
                  "\xfd"
                  "7zXZ\0"sv,
                  "is xz-compressed, which is not read; decompress it first (xz -d)"},
    ForeignFormat{0, "BZh"sv, "is bzip2-compressed, which is not read; decompress it first (bzip2 -d)"},
    ForeignFormat{0, zip_magic, "is a zip archive; unpack it and name a file inside"},
    ForeignFormat{0, "\x04\x22\x4d\x18"sv, "is lz4-compressed, which is not read; decompress it first (lz4 -d)"},
};

bool is_zip(std::string_view head) { return head.starts_with(zip_magic); }
bool is_tar(std::string_view head) {
  constexpr std::size_t magic_offset = 257;
  return head.size() > magic_offset && head.substr(magic_offset).starts_with("ustar");
}

Status refuse_foreign(std::string_view head, Archives archives) {
  if (archives == Archives::admit && is_zip(head)) return {};
  for (const ForeignFormat& format : foreign_formats) {
    if (head.size() >= format.offset + format.magic.size() &&
        head.substr(format.offset, format.magic.size()) == format.magic) {
      return Error{ErrorCode::unsupported, std::string(format.advice), {}};
    }
  }
  return {};
}

Compression guess_compression(std::string_view head) {
  if (head.starts_with("\x1f\x8b"sv)) return Compression::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::zstd;
  const bool skippable_frame = head.size() >= 4 && head.substr(1, 3) == "\x2a\x4d\x18"sv && (head[0] & 0xf0) == 0x50;
  return skippable_frame ? Compression::zstd : Compression::none;
}

std::unique_ptr<Decoder> make_decoder(Compression compression, RawInput& input) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_decoder(input);
    case Compression::zstd:
      return make_zstd_decoder(input);
    case Compression::none:
      break;
  }
  return make_plain_decoder(input);
}

}  // namespace

std::unique_ptr<Decoder> make_plain_decoder(RawInput& input) { return std::make_unique<PlainDecoder>(input); }

bool is_archive(std::string_view head) { return is_zip(head) || is_tar(head); }

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::~ByteSource() = default;

Result<std::unique_ptr<ByteSource>> ByteSource::make(std::unique_ptr<State> state, bool read_ahead, Archives archives) {
  KERNWATT_TRY(const std::string_view head, state->input->head());
  if (head.empty()) return Error{ErrorCode::bad_data, "is empty", {}};
  KERNWATT_CHECK(refuse_foreign(head, archives));
  state->compression = guess_compression(head);
  state->decoder = make_decoder(state->compression, *state->input);
  if (read_ahead && state->compression != Compression::none) {
    state->decoder = std::make_unique<ReadAheadDecoder>(std::move(state->decoder));
  }
  std::unique_ptr<ByteSource> source(new ByteSource(std::move(state)));
  KERNWATT_TRY(const std::string_view text, source->peek(512));
  if (archives == Archives::refuse && is_tar(text)) {
    return Error{ErrorCode::unsupported, "is a tar archive; unpack it and name the files inside", {}};
  }
  if (text.empty() && source->damage().empty())
    return Error{ErrorCode::bad_data, "holds no bytes when decompressed", {}};
  if (text.empty()) return Error{ErrorCode::bad_data, "nothing could be decompressed: " + source->damage(), {}};
  return source;
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::filesystem::path& path, Archives archives) {
  auto state = std::make_unique<State>();
  KERNWATT_TRY(state->input, FileInput::open(path));
  // A thread that waits for a pipe could not be stopped, so pipes are decompressed on the reader's thread.
  const bool read_ahead = state->input->size().has_value();
  auto source = make(std::move(state), read_ahead, archives);
  if (source) return source;
  Error error = std::move(source).error();
  error.where = path.string();
  return error;
}

Result<std::unique_ptr<ByteSource>> ByteSource::from_memory(std::string bytes, Archives archives) {
  auto state = std::make_unique<State>();
  state->input = std::make_unique<MemoryInput>(std::move(bytes));
  return make(std::move(state), false, archives);
}

Result<std::unique_ptr<ByteSource>> ByteSource::from_input(std::unique_ptr<CountedInput> input) {
  auto state = std::make_unique<State>();
  state->input = std::move(input);
  return make(std::move(state), false, Archives::refuse);
}

Result<std::size_t> ByteSource::read(std::span<char> into) {
  const std::size_t left = state_->peeked.size() - state_->peeked_given;
  if (left == 0) return state_->decoder->read(into);
  const std::size_t count = std::min(left, into.size());
  std::memcpy(into.data(), state_->peeked.data() + state_->peeked_given, count);
  state_->peeked_given += count;
  return count;
}

Result<std::string_view> ByteSource::peek(std::size_t count) {
  std::string& peeked = state_->peeked;
  peeked.erase(0, state_->peeked_given);
  state_->peeked_given = 0;
  while (peeked.size() < count) {
    const std::size_t have = peeked.size();
    peeked.resize(count);
    auto got = state_->decoder->read(std::span(peeked).subspan(have));
    peeked.resize(have + got.value_or(0));
    if (!got) return std::move(got).error();
    if (*got == 0) break;
  }
  return std::string_view(peeked).substr(0, count);
}

Compression ByteSource::compression() const { return state_->compression; }
std::uint64_t ByteSource::bytes_read_from_file() const { return state_->input->bytes_read(); }
std::optional<std::uint64_t> ByteSource::file_size() const { return state_->input->size(); }
std::string ByteSource::damage() const { return state_->decoder->damage(); }

void ByteSource::report_damage(QualityLedger& quality) const {
  const std::string what = damage();
  if (what.empty()) return;
  quality.add("input.damaged", Severity::warning,
              "Of the compressed file only the beginning could be used: " + what + ". Copy or record it again.");
}

}  // namespace kernwatt::readers
