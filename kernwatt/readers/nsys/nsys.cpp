// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/nsys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "kernwatt/readers/assembly/trace_assembler.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/io/spooled_file.hpp"
#include "kernwatt/readers/nsys/completion.hpp"
#include "kernwatt/readers/nsys/event_tables.hpp"
#include "kernwatt/readers/nsys/gpu_table.hpp"
#include "kernwatt/readers/nsys/nsys_database.hpp"
#include "kernwatt/readers/nsys/nsys_notes.hpp"
#include "kernwatt/readers/nsys/session_time.hpp"
#include "kernwatt/run/run_schema.hpp"

namespace kernwatt::readers {
namespace {

using namespace nsys;

/// Tables by which an export is known, whatever else it lacks.
constexpr std::array known_tables{"CUPTI_ACTIVITY_KIND_KERNEL",
                                  "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
                                  "CUPTI_ACTIVITY_KIND_RUNTIME",
                                  "CUPTI_ACTIVITY_KIND_MEMCPY",
                                  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                  "NVTX_EVENTS",
                                  "ANALYSIS_DETAILS",
                                  "ANALYSIS_FILE",
                                  "META_DATA_EXPORT",
                                  "META_DATA_CAPTURE",
                                  "TARGET_INFO_GPU",
                                  "TARGET_INFO_SYSTEM_ENV",
                                  "TARGET_INFO_SESSION_START_TIME"};

Status check_kind(const NsysDatabase& database) {
  if (database.application_id() == run::run_application_id) {
    return Error{ErrorCode::unsupported, "is a kernwatt Run, not a trace; `kernwatt show` prints it", {}};
  }
  const bool known = std::any_of(known_tables.begin(), known_tables.end(),
                                 [&](const char* name) { return database.find(name) != nullptr; });
  if (known) return {};
  std::string names;
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, database.tables().size()); ++i) {
    names += (i == 0 ? "" : ", ") + visible_text(database.tables()[i].name);
  }
  const bool rocm = std::any_of(database.tables().begin(), database.tables().end(),
                                [](const Table& table) { return table.name.starts_with("rocpd_"); });
  return Error{
      ErrorCode::bad_data,
      fmt::format("is an SQLite database, but {} (its tables: {}{})",
                  rocm ? "AMD's rocprof wrote it, which is not read; export a trace of PyTorch's profiler instead"
                       : "not one that `nsys export --type sqlite` wrote",
                  names.empty() ? "none" : names, database.tables().size() > most ? ", …" : ""),
      {}};
}

Result<run::Trace> read_database(NsysDatabase& database, const Progress& progress) {
  KERNWATT_CHECK(check_kind(database));
  run::Trace trace;
  trace.format = nsys_format;
  assembly::Records records;
  EventTables events(database, records, progress);
  events.read();
  const SessionTime time = find_session_time(database, events.facts().device_time.value_or(TimeSpan{}));
  records.base_time_ns = time.base_ns;
  const CompletionFacts completion = complete(events, GpuTable(database), records);
  const assembly::AssemblyFacts assembly = assemble(records, trace);
  note_quality({database, events, records.counts, completion, assembly, time}, trace);
  return trace;
}

Result<run::Trace> with_name(Result<run::Trace> trace, std::string file) {
  if (!trace) {
    Error error = std::move(trace).error();
    if (error.where.empty()) error.where = std::move(file);
    return error;
  }
  trace->file = std::move(file);
  return trace;
}

Result<run::Trace> read_path(const std::filesystem::path& path, const Progress& progress) {
  KERNWATT_TRY(NsysDatabase database, NsysDatabase::open(path));
  KERNWATT_TRY(run::Trace trace, read_database(database, progress));
  std::error_code ignored;
  std::filesystem::path log = path;
  log += "-wal";
  const auto size = std::filesystem::file_size(log, ignored);
  if (!ignored && size > 0) {
    trace.quality.add("trace.write-ahead-log", Severity::warning,
                      fmt::format("{} lies beside the file: what a program wrote last is in there, and was not read. "
                                  "Let that program end, or open and close the file with sqlite3",
                                  log.filename().string()));
  }
  return trace;
}

Result<run::Trace> read_stream(ByteSource& source, const Progress& progress) {
  constexpr std::size_t largest_in_memory = std::size_t{64} << 20U;
  std::string bytes;
  std::vector<char> buffer(std::size_t{1} << 18U);
  while (bytes.size() < largest_in_memory) {
    KERNWATT_TRY(const std::size_t count, source.read(buffer));
    if (count == 0) break;
    bytes.append(buffer.data(), count);
  }
  if (bytes.size() < largest_in_memory) {
    KERNWATT_TRY(NsysDatabase database, NsysDatabase::in_memory(std::move(bytes)));
    return read_database(database, progress);
  }
  KERNWATT_TRY(SpooledFile file, SpooledFile::create(bytes, source));
  std::string().swap(bytes);
  KERNWATT_TRY(NsysDatabase database, NsysDatabase::open(file.path()));
  file.forget();
  return read_database(database, progress);
}

}  // namespace

Result<run::Trace> read_nsys(const std::filesystem::path& path, std::string file, const Progress& progress) {
  return with_name(read_path(path, progress), std::move(file));
}

Result<run::Trace> read_nsys(ByteSource& source, std::string file, const Progress& progress) {
  auto trace = with_name(read_stream(source, progress), std::move(file));
  if (trace) {
    source.report_damage(trace->quality);
  } else if (const std::string damage = source.damage(); !damage.empty()) {
    Error error = std::move(trace).error();
    error.message += "; " + damage;
    return error;
  }
  return trace;
}

}  // namespace kernwatt::readers
