// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/archive/archive_reader.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kernwatt/core/unique_handle.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/io/raw_input.hpp"

namespace kernwatt::readers {
namespace {

struct ArchiveTraits {
  using Handle = archive*;
  static Handle invalid() { return nullptr; }
  static void close(Handle handle) { archive_read_free(handle); }
};

}  // namespace

struct ArchiveReader::State {
  explicit State(ByteSource& bytes) : source(bytes), buffer(std::size_t{1} << 16U) {}
  ByteSource& source;
  std::vector<char> buffer;
  std::string damage;
  std::uint64_t files = 0;
  UniqueHandle<ArchiveTraits> handle;  // reads from the members above, so it goes first

  std::string reason() const {
    const char* text = archive_error_string(handle.get());
    return text == nullptr ? std::string("it is damaged") : visible_text(text);
  }
};

namespace {

/// The data of the file that the archive stands at. Damage ends it.
class MemberInput final : public CountedInput {
 public:
  MemberInput(archive* handle, std::string& damage) : handle_(handle), damage_(damage) {}
  std::optional<std::uint64_t> size() const override { return std::nullopt; }

 private:
  Result<std::size_t> read_some(std::span<char> into) override {
    if (ended_ || into.empty()) return std::size_t{0};
    const la_ssize_t count = archive_read_data(handle_, into.data(), into.size());
    if (count > 0) return static_cast<std::size_t>(count);
    ended_ = true;
    if (count < 0 && damage_.empty()) {
      const char* text = archive_error_string(handle_);
      damage_ = text == nullptr ? std::string("it is damaged") : visible_text(text);
    }
    return std::size_t{0};
  }
  archive* handle_;
  std::string& damage_;
  bool ended_ = false;
};

bool is_of_macos(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return name.starts_with("._") || name == ".DS_Store" || path.starts_with("__MACOSX/");
}

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  constexpr std::size_t longest = 1024;
  return visible_text(std::string_view(name == nullptr ? "(no name)" : name).substr(0, longest));
}

}  // namespace

ArchiveReader::ArchiveReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveReader::ArchiveReader(ArchiveReader&& other) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&& other) noexcept = default;
ArchiveReader::~ArchiveReader() = default;

std::string ArchiveReader::damage() const { return state_->damage; }

Result<ArchiveReader> ArchiveReader::open(ByteSource& source) {
  auto state = std::make_unique<State>(source);
  state->handle.reset(archive_read_new());
  archive* handle = state->handle.get();
  if (handle == nullptr) return Error{ErrorCode::internal, "no memory for an archive", {}};
  archive_read_support_filter_none(handle);
  archive_read_support_format_tar(handle);
  archive_read_support_format_zip_streamable(handle);
  const auto read = [](archive*, void* context, const void** block) -> la_ssize_t {
    auto& from = *static_cast<State*>(context);
    const auto count = from.source.read(from.buffer);
    if (!count) {
      from.damage = count.error().message;
      return -1;
    }
    *block = from.buffer.data();
    return static_cast<la_ssize_t>(*count);
  };
  if (archive_read_open(handle, state.get(), nullptr, read, nullptr) != ARCHIVE_OK) {
    return Error{ErrorCode::bad_data, fmt::format("cannot be read as an archive: {}", state->reason()), {}};
  }
  return ArchiveReader(std::move(state));
}

Result<std::optional<ArchiveMember>> ArchiveReader::next() {
  archive* handle = state_->handle.get();
  for (;;) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(handle, &entry);
    if (code == ARCHIVE_EOF) return std::optional<ArchiveMember>();
    if (code < ARCHIVE_WARN) {
      if (state_->damage.empty()) state_->damage = state_->reason();
      if (state_->files > 0) return std::optional<ArchiveMember>();
      return Error{ErrorCode::bad_data, fmt::format("is a damaged archive: {}", state_->damage), {}};
    }
    ++state_->files;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) continue;
    ArchiveMember member;
    member.name = name_of(entry);
    if (is_of_macos(member.name)) continue;
    // A hole costs no bytes in the archive and may be of any size.
    if (archive_entry_sparse_count(entry) > 0) {
      member.why_not = "is a sparse file";
      return std::optional(std::move(member));
    }
    auto source = ByteSource::from_input(std::make_unique<MemberInput>(handle, state_->damage));
    if (source) {
      member.source = std::move(source).value();
    } else {
      member.why_not = source.error().message;
    }
    return std::optional(std::move(member));
  }
}

}  // namespace kernwatt::readers
