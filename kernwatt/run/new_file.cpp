// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace kernwatt::run {
namespace {

std::string reason(int error_number) { return std::generic_category().message(error_number); }

Error exists_error(const std::filesystem::path& path) {
  return {ErrorCode::invalid_argument, "the file exists already; give another name, or --force to replace it",
          path.string()};
}

/// Follows a link, so that the temporary file lies in the folder (and file system) of the real target.
std::filesystem::path resolve(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target;
}

// The umask can only be read by setting it. Programs call this before they start threads that create files.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

Result<NewFile> NewFile::create(const std::filesystem::path& path, bool overwrite) {
  if (path.empty()) return Error{ErrorCode::invalid_argument, "the name of the output file is empty", ""};
  std::filesystem::path target = resolve(path);
  struct stat existing {};
  if (::stat(target.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode)) return Error{ErrorCode::invalid_argument, "is a folder, not a file", path.string()};
    if (!S_ISREG(existing.st_mode))
      return Error{ErrorCode::invalid_argument, "is not a regular file; give the name of a file", path.string()};
    if (!overwrite) return exists_error(path);
  }
  std::string pattern = target.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0) return Error{ErrorCode::io, "cannot be created: " + reason(errno), path.string()};
  NewFile file(std::move(target), pattern, descriptor, overwrite);
  ::fchmod(descriptor, default_mode());  // a failure leaves it private, which harms nobody
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      overwrite_(other.overwrite_) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  descriptor_ = std::exchange(other.descriptor_, -1);
  overwrite_ = other.overwrite_;
  return *this;
}

NewFile::~NewFile() { discard(); }

void NewFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Status NewFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{ErrorCode::io, "cannot be written: " + reason(errno), target_.string()};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status NewFile::commit() {
  if (temporary_.empty()) return Error{ErrorCode::internal, "the file was committed twice", target_.string()};
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
    return Error{ErrorCode::io, "cannot be flushed to the disk: " + reason(errno), target_.string()};
  if (::close(std::exchange(descriptor_, -1)) != 0)
    return Error{ErrorCode::io, "cannot be written: " + reason(errno), target_.string()};
  if (!overwrite_) {
    // link() refuses an existing name, rename() would replace it; file systems without links get the plain rename.
    if (::link(temporary_.c_str(), target_.c_str()) == 0) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
      return {};
    }
    if (errno == EEXIST) return exists_error(target_);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    return Error{ErrorCode::io, "cannot be given its name: " + reason(errno), target_.string()};
  temporary_.clear();
  return {};
}

}  // namespace kernwatt::run
