// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kernel_csv/kernel_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "kernwatt/readers/csv/csv_reader.hpp"
#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/kernel_csv/kernel_columns.hpp"
#include "kernwatt/readers/kernel_csv/launch_order.hpp"
#include "kernwatt/readers/kernel_csv/row_keys.hpp"

namespace kernwatt::readers {

namespace {

using Row = std::vector<std::string_view>;

// 2001-09-09: no profiler counts from its own start for thirty years.
constexpr std::int64_t earliest_absolute_ns = 1'000'000'000'000'000'000;

/// Whether a first line is that of a power log: "power.draw [W]", "energy_mj", "11.64 W".
bool names_power(const Row& row) {
  return std::any_of(row.begin(), row.end(), [](std::string_view cell) {
    return cell.find("power") != std::string_view::npos || cell.find("energy") != std::string_view::npos ||
           cell.find("POWER") != std::string_view::npos || cell.ends_with(" W");
  });
}

class KernelCsvReading {
 public:
  KernelCsvReading(ByteSource& source, const Progress& progress)
      : source_(source), csv_(source, CsvOptions{}, progress) {}
  Result<run::Trace> read(std::string file);

 private:
  bool add(const Row& row, bool last_unterminated);
  std::uint32_t class_of(const Row& row);
  std::uint32_t stream_of(const Row& row);
  std::uint32_t gpu_of(std::string_view device);
  std::uint32_t call_of(const Row& row);
  std::uint32_t iteration_of(const Row& row, std::int64_t start_ns, std::int64_t end_ns);
  run::NameId name_of(std::string_view text);
  Status find_header();
  Status read_rows();
  void add_or_count(const Row& row);
  void report();
  Result<run::Trace> finish(std::string file);

  ByteSource& source_;
  CsvReader csv_;
  KernelColumns columns_;
  run::Trace trace_;
  Row row_;
  std::vector<std::string> header_;
  TextIndex names_, streams_, gpus_, sites_, iterations_;
  std::unordered_map<ClassKey, std::uint32_t, ClassKeyHash> classes_;
  ClassKey key_;
  ClassKey last_key_;
  std::uint32_t last_class_ = run::none;
  std::string scratch_;
  std::uint64_t repaired_names_ = 0;
  std::uint64_t bad_rows_ = 0;
  std::uint64_t negative_ = 0;
  std::uint64_t torn_ = 0;
  std::uint64_t header_repeats_ = 0;
  std::uint64_t first_bad_line_ = 0;
  std::uint64_t lines_before_ = 0;
  bool other_table_follows_ = false;
};

run::NameId KernelCsvReading::name_of(std::string_view text) {
  return names_.find(text, [&] {
    if (is_visible_text(text)) return trace_.names.intern(text);
    ++repaired_names_;
    return trace_.names.intern(visible_text(text));
  });
}

std::uint32_t KernelCsvReading::class_of(const Row& row) {
  const std::string_view name = columns_.cell(row, KernelField::name);
  key_.name = name_of(name);
  key_.kind = kind_of(columns_.cell(row, KernelField::category), name);
  key_.shape.clear();
  for (const KernelField field : shape_fields) {
    if (!columns_.has(field)) continue;
    key_.shape.append(columns_.cell(row, field));
    key_.shape.push_back('|');
  }
  if (last_class_ != run::none && key_ == last_key_) return last_class_;
  last_key_ = key_;
  const auto [found, inserted] = classes_.try_emplace(key_, static_cast<std::uint32_t>(trace_.classes.size()));
  last_class_ = found->second;
  if (!inserted) return last_class_;
  const auto count = [&](KernelField field) -> std::optional<std::uint32_t> {
    const auto value = parse_int64(columns_.cell(row, field));
    if (!value || *value < 0 || *value > 0xffff'ffff) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
  };
  trace_.classes.push_back({key_.name, key_.kind, columns_.grid(row), columns_.block(row),
                            count(KernelField::registers), count(KernelField::shared_memory)});
  return last_class_;
}

/// "NVIDIA RTX A4500 (0)": a name and, in brackets, the number.
std::optional<run::GpuIdentity> named_and_numbered(std::string_view device) {
  const std::size_t bracket = device.rfind('(');
  if (bracket == std::string_view::npos || !device.ends_with(')')) return std::nullopt;
  const auto number = parse_int64(device.substr(bracket + 1, device.size() - bracket - 2));
  if (!number || *number < 0 || *number >= 1'000'000) return std::nullopt;
  run::GpuIdentity gpu;
  gpu.index = static_cast<int>(*number);
  gpu.name = visible_text(trim(device.substr(0, bracket)));
  return gpu;
}

std::uint32_t KernelCsvReading::gpu_of(std::string_view device) {
  return gpus_.find(device, [&] {
    if (auto known = named_and_numbered(device)) {
      trace_.gpus.push_back(*std::move(known));
      return static_cast<std::uint32_t>(trace_.gpus.size() - 1);
    }
    run::GpuIdentity gpu;
    const auto number = parse_int64(device);
    if (number && *number >= 0 && *number < 1'000'000) gpu.index = static_cast<int>(*number);
    if (!number && device.starts_with("GPU-")) gpu.uuid = visible_text(device);
    if (!number && gpu.uuid.empty()) gpu.name = visible_text(device);
    trace_.gpus.push_back(std::move(gpu));
    return static_cast<std::uint32_t>(trace_.gpus.size() - 1);
  });
}

std::uint32_t KernelCsvReading::stream_of(const Row& row) {
  const std::string_view device = columns_.cell(row, KernelField::device);
  const std::string_view context = columns_.cell(row, KernelField::context);
  const std::string_view stream = columns_.cell(row, KernelField::stream);
  // Streams are numbered within a context, contexts within a device.
  scratch_.assign(device).append("|").append(context).append("|").append(stream);
  return streams_.find(scratch_, [&] {
    trace_.streams.push_back({gpu_of(device), stream.empty() ? run::none : name_of(stream)});
    return static_cast<std::uint32_t>(trace_.streams.size() - 1);
  });
}

std::uint32_t KernelCsvReading::call_of(const Row& row) {
  const std::string_view op = columns_.cell(row, KernelField::operator_);
  const std::string_view range = columns_.cell(row, KernelField::range);
  const std::string_view phase = columns_.cell(row, KernelField::phase);
  if (op.empty() && range.empty() && phase.empty()) return run::none;
  scratch_.assign(op).append("\n").append(range).append("\n").append(phase);
  const std::uint32_t site = sites_.find(scratch_, [&] {
    run::Site made;
    if (!op.empty()) made.op = made.outer_op = name_of(op);
    if (!phase.empty()) made.ranges.push_back(name_of(phase));
    std::string_view rest = range;
    while (!rest.empty()) {
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      if (slash > 0) made.ranges.push_back(name_of(rest.substr(0, slash)));
      rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
    trace_.sites.push_back(std::move(made));
    return static_cast<std::uint32_t>(trace_.sites.size() - 1);
  });
  trace_.calls.push_back({site, -1});
  return static_cast<std::uint32_t>(trace_.calls.size() - 1);
}

std::uint32_t KernelCsvReading::iteration_of(const Row& row, std::int64_t start_ns, std::int64_t end_ns) {
  const std::string_view text = columns_.cell(row, KernelField::iteration);
  if (text.empty()) return run::none;
  const std::uint32_t mark = iterations_.find(text, [&] {
    trace_.iteration_marks.push_back({name_of(text), start_ns, end_ns});
    return static_cast<std::uint32_t>(trace_.iteration_marks.size() - 1);
  });
  run::HostRange& range = trace_.iteration_marks[mark];
  range.start_ns = std::min(range.start_ns, start_ns);
  range.end_ns = std::max(range.end_ns, end_ns);
  return mark;
}

bool KernelCsvReading::add(const Row& row, bool last_unterminated) {
  if (last_unterminated && row.size() < columns_.width()) {
    ++torn_;
    return true;
  }
  const auto start = columns_.nanoseconds(row, KernelField::start);
  const std::string_view duration_cell = columns_.cell(row, KernelField::duration);
  auto duration = columns_.nanoseconds(row, KernelField::duration);
  if (start && !duration && duration_cell.empty()) {
    const auto end = columns_.nanoseconds(row, KernelField::end);
    std::int64_t difference = 0;
    if (end && !__builtin_sub_overflow(*end, *start, &difference)) duration = difference;
  }
  std::int64_t end_ns = 0;
  if (!start || !duration || row.size() > columns_.width() || __builtin_add_overflow(*start, *duration, &end_ns)) {
    return false;
  }
  if (*duration < 0) {
    ++negative_;
    return true;
  }
  run::Launch launch;
  launch.start_ns = *start;
  launch.duration_ns = *duration;
  launch.kernel_class = class_of(row);
  launch.stream = stream_of(row);
  launch.call = call_of(row);
  launch.iteration = iteration_of(row, *start, end_ns);
  trace_.launches.push_back(launch);
  return true;
}

/// The header may come after what a program printed before its table.
Status KernelCsvReading::find_header() {
  constexpr int most_lines = 64;
  std::optional<Error> first;
  for (int i = 0; i < most_lines; ++i) {
    KERNWATT_TRY(const bool any, csv_.next(row_));
    if (!any) break;
    if (i == 0 && row_[0].starts_with("\xef\xbb\xbf")) row_[0].remove_prefix(3);
    auto columns = KernelColumns::from_header(row_);
    if (columns) {
      columns_ = *std::move(columns);
      header_.assign(row_.begin(), row_.end());
      return {};
    }
    ++lines_before_;
    if (!first) {
      first = std::move(columns).error();
      if (names_power(row_)) first->message = "this looks like a power log, not a trace: give it with --power";
    }
  }
  if (first) return *std::move(first);
  return Error{ErrorCode::bad_data, "not a kernel CSV: there is no line of text in it", {}};
}

void KernelCsvReading::report() {
  QualityLedger& quality = trace_.quality;
  if (bad_rows_ > 0) {
    quality.add(
        "trace.bad-rows", Severity::warning,
        fmt::format("rows without a usable start and duration, or with too many cells, were left out; the first "
                    "is on line {}",
                    first_bad_line_),
        bad_rows_);
  }
  if (torn_ > 0) {
    quality.add("trace.torn-row", Severity::warning, "the last row lost its end and was left out", torn_);
  }
  if (negative_ > 0) {
    quality.add("trace.negative-durations", Severity::warning,
                "launches with a negative duration were left out: their end was not recorded", negative_);
  }
  if (lines_before_ > 0) {
    quality.add("trace.preamble", Severity::info, "lines before the table were skipped", lines_before_);
  }
  if (other_table_follows_) {
    quality.add("trace.other-tables", Severity::info, "another report follows the table; only the first was read");
  }
  if (header_repeats_ > 0) {
    quality.add("trace.header-repeated", Severity::warning,
                "the header comes again among the rows, as when files are put one after the other: all rows were read",
                header_repeats_);
  }
  if (repaired_names_ > 0) {
    quality.add("trace.repaired-encoding", Severity::info,
                "names have bytes that are not UTF-8 or control characters; they are shown as \\xff and the like, so "
                "that names stay distinct",
                repaired_names_);
  }
  if (csv_.stray_quotes() > 0) {
    quality.add("trace.stray-quote", Severity::warning, "quotes that nothing closes were read as letters",
                csv_.stray_quotes());
  }
  if (csv_.skipped_long() > 0) {
    quality.add("trace.long-line", Severity::warning, "lines of more than 4 megabytes were left out",
                csv_.skipped_long());
  }
  source_.report_damage(quality);
}

Result<run::Trace> KernelCsvReading::finish(std::string file) {
  trace_.file = std::move(file);
  trace_.format = columns_.of_nsys() ? cuda_gpu_trace_csv_format : kernel_csv_format;
  report();
  sort_launches(trace_);
  trace_.time_is_absolute = !trace_.launches.empty() && trace_.launches.front().start_ns >= earliest_absolute_ns;
  if (!trace_.time_is_absolute && !trace_.launches.empty()) {
    trace_.quality.add(
        "trace.relative-time", Severity::info,
        columns_.of_nsys()
            ? "The table's times count from the start of the recording, and it does not say when that "
              "was: a power log can be laid beside it only with --time-offset. The .sqlite export says it"
            : "The table has no absolute time: a power log can be laid beside it only with --time-offset");
  }
  const bool any_kernel = std::any_of(trace_.classes.begin(), trace_.classes.end(),
                                      [](const run::KernelClass& c) { return c.kind == run::LaunchKind::kernel; });
  if (!any_kernel) {
    trace_.quality.add("trace.no-kernels", Severity::error,
                       fmt::format("the trace has no GPU kernel: {} copies and sets only", trace_.launches.size()));
  }
  return std::move(trace_);
}

void KernelCsvReading::add_or_count(const Row& row) {
  if (add(row, !csv_.terminated())) return;
  if (std::equal(row.begin(), row.end(), header_.begin(), header_.end())) {
    ++header_repeats_;
    return;
  }
  if (bad_rows_++ == 0) first_bad_line_ = csv_.line_number();
}

Status KernelCsvReading::read_rows() {
  for (bool first = true;; first = false) {
    KERNWATT_TRY(const bool more, csv_.next(row_));
    if (!more) return {};
    if (first && columns_.take_units(row_)) continue;
    if (!columns_.has_units()) {
      return Error{
          ErrorCode::bad_data,
          "its columns Start and Duration do not say their unit; write start_ns and duration_ns, or Start (us)",
          {}};
    }
    // `nsys stats` prints its reports one after the other.
    const std::string_view begin = trim(row_[0]);
    if (columns_.of_nsys() && (begin.starts_with("** ") || begin.starts_with("Processing ["))) {
      other_table_follows_ = true;
      return {};
    }
    add_or_count(row_);
  }
}

Result<run::Trace> KernelCsvReading::read(std::string file) {
  KERNWATT_CHECK(find_header());
  KERNWATT_CHECK(read_rows());
  if (trace_.launches.empty() && bad_rows_ > 0) {
    return Error{ErrorCode::bad_data,
                 fmt::format("none of {} rows has a usable start_ns and duration_ns; the first is on line {}",
                             bad_rows_, first_bad_line_),
                 {}};
  }
  return finish(std::move(file));
}

/// The format of a line that is a header; empty for any other.
std::string_view format_of_header(std::string_view line) {
  std::vector<std::string_view> cells;
  constexpr std::size_t most_cells = 256;
  cells.reserve(32);
  std::string_view rest = line;
  while (cells.size() < most_cells) {
    const std::size_t comma = rest.find(',');
    std::string_view cell = trim(rest.substr(0, comma));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  const auto columns = KernelColumns::from_header(cells);
  if (!columns) return {};
  return columns->of_nsys() ? cuda_gpu_trace_csv_format : kernel_csv_format;
}

}  // namespace

std::string_view kernel_csv_format_of(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    if (const std::string_view format = format_of_header(head.substr(0, end)); !format.empty()) return format;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

Result<run::Trace> read_kernel_csv(ByteSource& source, std::string file, const Progress& progress) {
  auto trace = KernelCsvReading(source, progress).read(file);
  if (!trace && trace.error().where.empty()) {
    Error error = trace.error();
    error.where = std::move(file);
    return error;
  }
  return trace;
}

}  // namespace kernwatt::readers
