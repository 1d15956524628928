// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/raw_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace kernwatt::readers {

namespace {
constexpr std::size_t head_size = 1024;
std::string reason(int code) { return std::generic_category().message(code); }
}  // namespace

Result<std::string_view> CountedInput::head() {
  head_.resize(head_size);
  std::size_t have = 0;
  while (have < head_size) {
    KERNWATT_TRY(const std::size_t got, read_some(std::span(head_).subspan(have)));
    if (got == 0) break;
    have += got;
  }
  head_.resize(have);
  return std::string_view(head_);
}

Result<std::size_t> CountedInput::read(std::span<char> into) {
  std::size_t got = std::min(into.size(), head_.size() - head_given_);
  if (got > 0) {
    std::memcpy(into.data(), head_.data() + head_given_, got);
    head_given_ += got;
  } else {
    KERNWATT_TRY(got, read_some(into));
  }
  bytes_read_.fetch_add(got, std::memory_order_relaxed);
  return got;
}

void FileDescriptorTraits::close(Handle handle) { ::close(handle); }

Result<std::unique_ptr<FileInput>> FileInput::open(const std::filesystem::path& path) {
  auto input = std::make_unique<FileInput>();
  input->file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input->file_) {
    const int code = errno;
    const auto kind = code == EACCES ? ErrorCode::permission_denied : ErrorCode::io;
    return Error{kind, "cannot be opened: " + reason(code), path.string()};
  }
  struct stat status {};
  if (::fstat(input->file_.get(), &status) != 0) return Error{ErrorCode::io, reason(errno), path.string()};
  if (S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is a directory; name a file inside it", path.string()};
  if (S_ISREG(status.st_mode)) {
    input->size_ = static_cast<std::uint64_t>(status.st_size);
    ::posix_fadvise(input->file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return input;
}

Result<std::size_t> FileInput::read_some(std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(file_.get(), into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return Error{ErrorCode::io, "cannot be read: " + reason(errno), {}};
  }
}

Result<std::size_t> MemoryInput::read_some(std::span<char> into) {
  const std::size_t got = std::min(into.size(), bytes_.size() - given_);
  if (got > 0) std::memcpy(into.data(), bytes_.data() + given_, got);
  given_ += got;
  return got;
}

}  // namespace kernwatt::readers
