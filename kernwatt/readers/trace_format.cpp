// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/trace_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "kernwatt/readers/kernel_csv/kernel_csv.hpp"
#include "kernwatt/readers/kineto/kineto.hpp"
#include "kernwatt/readers/nsys/nsys.hpp"
#include "kernwatt/readers/rank_from_name.hpp"

namespace kernwatt::readers {
namespace {

struct TraceFormat {
  std::string_view name;
  std::string_view description;
  Result<run::Trace> (*read)(ByteSource& source, std::string file, const Progress& progress);
};
constexpr std::array formats{
    TraceFormat{"kineto", "a trace of PyTorch's profiler", read_kineto},
    TraceFormat{nsys_format, "a recording of Nsight Systems, exported to SQLite", read_nsys},
    TraceFormat{cuda_gpu_trace_csv_format, "a table of nsys stats or nvprof", read_kernel_csv},
    TraceFormat{kernel_csv_format, "a table of kernel launches", read_kernel_csv},
};

const TraceFormat* find_format(std::string_view name) {
  const auto found =
      std::find_if(formats.begin(), formats.end(), [name](const TraceFormat& format) { return format.name == name; });
  return found != formats.end() ? &*found : nullptr;
}

constexpr std::size_t guess_size = 4096;

/// What the profilers' own files are called, which only the profilers read.
struct ForeignFile {
  std::string_view extension;
  std::string_view advice;
};
constexpr std::string_view export_advice =
    "is Nsight Systems' own file, which only it can read; export it first: nsys export --type sqlite FILE";
constexpr std::array foreign_files{
    ForeignFile{".nsys-rep", export_advice}, ForeignFile{".qdrep", export_advice},
    ForeignFile{".qdstrm", export_advice},
    ForeignFile{
        ".ncu-rep",
        "is a report of Nsight Compute: counters of kernels that were run one by one, with no time line. Record "
        "one with nsys profile --trace=cuda,nvtx, then nsys export --type sqlite"}};

Error unknown_format(std::string_view text, std::size_t first, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const ForeignFile& foreign : foreign_files) {
    if (extension == foreign.extension) return {ErrorCode::unsupported, std::string(foreign.advice), {}};
  }
  return {ErrorCode::bad_data,
          fmt::format("is in no format that is known for traces (it begins with the byte 0x{:02x}); known are: {}",
                      static_cast<unsigned char>(text[first]), fmt::join(trace_formats(), ", ")),
          {}};
}

/// JSON begins with a bracket; a table's first line has columns and no bracket in front.
Result<const TraceFormat*> guess_format(std::string_view head, const std::filesystem::path& path) {
  if (head.starts_with("SQLite format 3")) return find_format(nsys_format);
  const bool wide = head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");  // UTF-16
  std::string text(head.starts_with("\xef\xbb\xbf") ? head.substr(3) : head);
  if (wide) std::erase_if(text, [](char byte) { return byte == '\0' || byte == '\xff' || byte == '\xfe'; });
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return find_format("kineto");  // it says what is wrong
  if (text[first] == '{' || text[first] == '[') return find_format("kineto");
  if (const std::string_view table = kernel_csv_format_of(text); !table.empty()) return find_format(table);
  const std::string line = text.substr(first, text.find_first_of("\r\n", first) - first);
  const bool printable = std::all_of(
      line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) >= 0x20 || byte == '\t'; });
  if (printable && line.find_first_of(",;\t") != std::string::npos) return find_format("kernel-csv");
  return unknown_format(text, first, path);
}

/// SQLite reads from a file, not from a stream; a plain one is read where it is.
Result<run::Trace> read_as(const TraceFormat& format, const TraceInput& input, const Progress& progress) {
  const bool plain_file = input.path && input.source.compression() == Compression::none && input.source.file_size();
  if (format.name == nsys_format && plain_file) return read_nsys(*input.path, input.file, progress);
  return format.read(input.source, input.file, progress);
}

void guess_rank(run::Trace& trace) {
  if (trace.rank) return;
  trace.rank = rank_from_name(trace.file);
  if (!trace.rank) return;
  trace.quality.add("trace.rank-from-name", Severity::info,
                    fmt::format("The trace does not say its rank; {} is a guess from the file's name", *trace.rank));
}

}  // namespace

std::vector<std::string_view> trace_formats() {
  std::vector<std::string_view> names;
  names.reserve(std::size(formats));
  for (const TraceFormat& format : formats) names.push_back(format.name);
  return names;
}

Status check_trace_format(const ReadOptions& options) {
  if (options.format.empty() || find_format(options.format) != nullptr) return {};
  return Error{
      ErrorCode::invalid_argument,
      fmt::format("unknown trace format \"{}\"; known are: {}", options.format, fmt::join(trace_formats(), ", ")),
      {}};
}

Result<run::Trace> read_trace_input(const TraceInput& input, const ReadOptions& options) {
  KERNWATT_CHECK(check_trace_format(options));
  const bool guessed = options.format.empty();
  const TraceFormat* format = find_format(options.format);
  const std::filesystem::path name(input.file);
  if (guessed) {
    KERNWATT_TRY(const std::string_view head, input.source.peek(guess_size));
    auto guess = guess_format(head, name);
    if (!guess) {
      Error error = std::move(guess).error();
      error.where = input.file;
      return error;
    }
    format = *guess;
  }
  KERNWATT_TRY(run::Trace trace, read_as(*format, input, options.progress));
  guess_rank(trace);
  trace.quality.add(
      "trace.format", Severity::info,
      fmt::format("{} was read as {} (format {}, {}), {}", name.filename().string(), format->description, format->name,
                  to_string(input.source.compression()), guessed ? "told by its content" : "as asked"));
  return trace;
}

}  // namespace kernwatt::readers
