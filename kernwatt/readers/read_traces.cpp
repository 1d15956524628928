// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernwatt/readers/archive/archive_reader.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/read.hpp"
#include "kernwatt/readers/trace_format.hpp"

namespace kernwatt::readers {
namespace {

/// The traces among several files, and what was not one.
class TraceSet {
 public:
  explicit TraceSet(std::filesystem::path path) : path_(std::move(path)) {}

  void add(Result<run::Trace> trace, const std::string& name) {
    if (trace) {
      traces_.push_back(std::move(trace).value());
    } else {
      skip(name, trace.error().message);
    }
  }
  void skip(const std::string& name, const std::string& why) {
    constexpr std::size_t most = 5;
    if (skipped_++ < most) names_ += fmt::format("{}{} ({})", names_.empty() ? "" : "; ", name, why);
  }
  void note_damage(std::string damage) { damage_ = std::move(damage); }

  Result<std::vector<run::Trace>> finish() {
    if (traces_.empty()) {
      return Error{
          ErrorCode::bad_data,
          skipped_ == 0 ? "holds no files" : fmt::format("holds {} file(s), none a trace: {}", skipped_, names_),
          path_.string()};
    }
    QualityLedger& quality = traces_.front().quality;
    if (skipped_ > 0) {
      quality.add("trace.members-skipped", Severity::warning,
                  fmt::format("{} of the files in {} are no traces and were left out: {}", skipped_,
                              path_.filename().string(), names_),
                  skipped_);
    }
    if (!damage_.empty()) {
      quality.add(
          "input.damaged", Severity::warning,
          fmt::format("The archive {} is damaged ({}): what comes after is lost", path_.filename().string(), damage_));
    }
    return std::move(traces_);
  }

 private:
  std::filesystem::path path_;
  std::vector<run::Trace> traces_;
  std::uint64_t skipped_ = 0;
  std::string names_;
  std::string damage_;
};

Result<std::vector<run::Trace>> read_archive(ByteSource& source, const std::filesystem::path& path,
                                             const ReadOptions& options) {
  KERNWATT_TRY(ArchiveReader archive, ArchiveReader::open(source));
  ReadOptions of_member = options;
  if (options.progress) {
    of_member.progress = [&](std::uint64_t, std::optional<std::uint64_t>) {
      options.progress(source.bytes_read_from_file(), source.file_size());
    };
  }
  TraceSet set(path);
  for (;;) {
    KERNWATT_TRY(std::optional<ArchiveMember> member, archive.next());
    if (!member) break;
    if (member->source == nullptr) {
      set.skip(member->name, member->why_not);
      continue;
    }
    const std::string file = fmt::format("{}/{}", path.string(), member->name);
    set.add(read_trace_input({*member->source, file, std::nullopt}, of_member), member->name);
  }
  std::string damage = archive.damage();
  if (damage.empty()) damage = source.damage();
  set.note_damage(std::move(damage));
  return set.finish();
}

/// The files of a folder by name; what lies deeper is not looked at.
Result<std::vector<run::Trace>> read_folder(const std::filesystem::path& path, const ReadOptions& options) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (auto entry = std::filesystem::directory_iterator(path, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && !entry->path().filename().string().starts_with('.')) {
      files.push_back(entry->path());
    }
  }
  if (error) return Error{ErrorCode::io, fmt::format("cannot be listed: {}", error.message()), path.string()};
  std::sort(files.begin(), files.end());
  TraceSet set(path);
  for (const std::filesystem::path& file : files) set.add(read_trace(file, options), file.filename().string());
  return set.finish();
}

}  // namespace

Result<std::vector<run::Trace>> read_traces(const std::filesystem::path& path, const ReadOptions& options) {
  KERNWATT_CHECK(check_trace_format(options));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_folder(path, options);
  KERNWATT_TRY(const std::unique_ptr<ByteSource> source, ByteSource::open(path, Archives::admit));
  constexpr std::size_t block = 512;
  KERNWATT_TRY(const std::string_view head, source->peek(block));
  if (is_archive(head)) {
    auto traces = read_archive(*source, path, options);
    if (traces || !traces.error().where.empty()) return traces;
    Error error = std::move(traces).error();
    error.where = path.string();
    return error;
  }
  KERNWATT_TRY(run::Trace trace, read_trace_input({*source, path.string(), path}, options));
  std::vector<run::Trace> traces;
  traces.push_back(std::move(trace));
  return traces;
}

}  // namespace kernwatt::readers
