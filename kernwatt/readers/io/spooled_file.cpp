// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/spooled_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace kernwatt::readers {
namespace {

Error failure(const std::filesystem::path& folder, std::string_view what) {
  return {ErrorCode::io,
          fmt::format("{} the temporary folder {}: {}. Unpack the file first, or set TMPDIR to a folder with room",
                      what, folder.string(), std::strerror(errno)),
          {}};
}

Status write_all(int file, std::string_view bytes, const std::filesystem::path& folder) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(folder, "cannot be unpacked into");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<SpooledFile> SpooledFile::create(std::string_view begun, ByteSource& source) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return Error{ErrorCode::io, "cannot be unpacked: there is no temporary folder (TMPDIR)", {}};
  std::string name = (folder / "kernwatt-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return failure(folder, "cannot be unpacked into");
  const UniqueHandle<FileDescriptorTraits> file(descriptor);
  SpooledFile spooled{std::filesystem::path(name)};
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  const std::uint64_t most = error ? std::uint64_t{1} << 36U : space.available / 2;
  KERNWATT_CHECK(write_all(descriptor, begun, folder));
  std::uint64_t size = begun.size();
  constexpr std::size_t block = std::size_t{1} << 20U;
  std::vector<char> buffer(block);
  for (;;) {
    KERNWATT_TRY(const std::size_t count, source.read(buffer));
    if (count == 0) return spooled;
    size += count;
    if (size > most) {
      return Error{
          ErrorCode::io,
          fmt::format("unpacks to more than {} MB, half of what is free in {}. Unpack it first, or set TMPDIR to "
                      "a folder with room",
                      most >> 20U, folder.string()),
          {}};
    }
    KERNWATT_CHECK(write_all(descriptor, {buffer.data(), count}, folder));
  }
}

SpooledFile::SpooledFile(SpooledFile&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

SpooledFile& SpooledFile::operator=(SpooledFile&& other) noexcept {
  if (this == &other) return *this;
  forget();
  path_ = std::move(other.path_);
  other.path_.clear();
  return *this;
}

void SpooledFile::forget() noexcept {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace kernwatt::readers
