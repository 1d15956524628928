// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/text_file_sink.hpp"

#include <zlib.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernwatt/run/new_file.hpp"

namespace kernwatt::app {

struct TextFileSink::State {
  State(OutputTarget target, const Console& where) : output(std::move(target)), console(where) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (compresses) ::deflateEnd(&stream);
  }

  Status put(std::string_view bytes) {
    if (bytes.empty()) return {};
    return file ? file->write(bytes) : write_output(output, bytes, true, console);
  }

  Status compress(std::string_view text, int flush) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    do {
      const std::string_view part = text.substr(0, most);
      text.remove_prefix(part.size());
      // zlib reads through a pointer that is not const in its interface.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));  // NOLINT
      stream.avail_in = static_cast<uInt>(part.size());
      const int how = text.empty() ? flush : Z_NO_FLUSH;
      do {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());  // NOLINT
        stream.avail_out = static_cast<uInt>(buffer.size());
        ::deflate(&stream, how);
        KERNWATT_CHECK(put({buffer.data(), buffer.size() - stream.avail_out}));
      } while (stream.avail_out == 0);
    } while (!text.empty());
    return {};
  }

  OutputTarget output;
  Console console;
  std::optional<run::NewFile> file;
  bool compresses = false;
  z_stream stream{};
  std::array<char, std::size_t{1} << 16U> buffer{};
};

TextFileSink::TextFileSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextFileSink::TextFileSink(TextFileSink&&) noexcept = default;
TextFileSink& TextFileSink::operator=(TextFileSink&&) noexcept = default;
TextFileSink::~TextFileSink() = default;

Result<TextFileSink> TextFileSink::open(const OutputTarget& output, bool force, const Console& console) {
  auto state = std::make_unique<State>(output, console);
  if (!output.is_standard_output() && !is_stream(output.path)) {
    KERNWATT_TRY(state->file, run::NewFile::create(output.path, force));
  }
  if (output.path.ends_with(".gz")) {
    constexpr int gzip_window = 15 + 16;
    if (::deflateInit2(&state->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      return Error{ErrorCode::internal, "the compression cannot be started", output.path};
    state->compresses = true;
  }
  return TextFileSink(std::move(state));
}

Status TextFileSink::write(std::string_view text) {
  return state_->compresses ? state_->compress(text, Z_NO_FLUSH) : state_->put(text);
}

Status TextFileSink::finish() {
  if (state_->compresses) KERNWATT_CHECK(state_->compress({}, Z_FINISH));
  return state_->file ? state_->file->commit() : Status();
}

}  // namespace kernwatt::app
