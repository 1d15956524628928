// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernwatt/run/new_file.hpp"
#include "kernwatt/run/run_checksum.hpp"
#include "kernwatt/run/run_codec.hpp"
#include "kernwatt/run/run_file.hpp"
#include "kernwatt/run/run_schema.hpp"
#include "kernwatt/run/sqlite.hpp"

namespace kernwatt::run {
namespace {

static_assert(std::endian::native == std::endian::little, "column blobs are written as they lie in memory");

/// SQLite takes at most 1 GB in a value; parts of 8 MB leave room and bound the memory of a reader.
constexpr std::size_t elements_per_part = std::size_t{1} << 20U;

/// Binds one record's values, one after the other, and adds them to the record's hash.
class RecordWriter {
 public:
  RecordWriter(sqlite::Statement& statement, std::string_view table) : statement_(statement), hash_(table) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  template <class T>
  void since(int /*version*/, const T& value) {
    put(value);
  }
  void index(std::uint32_t value) { value == none ? put_null() : put(std::int64_t{value}); }
  void index_since(int /*version*/, std::uint32_t value) { index(value); }
  const RecordHash& hash() const { return hash_; }

 private:
  void put_null() {
    statement_.bind_null(++parameter_);
    hash_.add(0);
  }
  void put(std::int64_t value) {
    statement_.bind(++parameter_, value);
    hash_.add(static_cast<std::uint64_t>(value));
  }
  template <std::integral T>
  void put(T value) {
    put(static_cast<std::int64_t>(value));
  }
  void put(double value) {
    if (std::isnan(value)) return put_null();
    const double kept = value == 0 ? 0.0 : value;  // SQLite drops the sign of zero, so the hash must too
    statement_.bind(++parameter_, kept);
    hash_.add(std::bit_cast<std::uint64_t>(kept));
  }
  void put(std::string_view value) {
    statement_.bind(++parameter_, value);
    hash_.add(std::as_bytes(std::span(value)));
  }
  void put(const std::string& value) { put(std::string_view(value)); }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) {
    for (const auto& known : names_of(value))
      if (known.value == value) return put(known.name);
    put_null();
  }
  template <class T>
  void put(const std::optional<T>& value) {
    if (value) return put(*value);
    if constexpr (std::is_same_v<T, Dim3>) put_null(), put_null();
    if constexpr (std::is_same_v<T, Interval>) put_null();
    put_null();
  }
  void put(const Dim3& value) {
    for (const std::uint32_t extent : value) put(extent);
  }
  void put(const Interval& value) {
    put(value.low);
    put(value.high);
  }
  void put(const std::vector<std::string>& lines) {
    std::string& joined = scratch_;
    for (const std::string& line : lines) joined += (joined.empty() ? "" : "\n") + line;
    put(std::string_view(joined));
  }
  void put(const std::vector<NameId>& ids) { put(std::as_bytes(std::span(ids))); }
  void put(std::span<const std::byte> bytes) {
    statement_.bind(++parameter_, bytes);
    hash_.add(bytes);
  }

  sqlite::Statement& statement_;
  RecordHash hash_;
  int parameter_ = 0;
  std::string scratch_;  // lives until the record was stepped
};

class RunWriter {
 public:
  explicit RunWriter(sqlite::Database& database) : database_(database) {}

  Status write(const Run& run) {
    KERNWATT_CHECK(create_tables());
    KERNWATT_CHECK(record("run", [&](auto& out) { out(run.tool_version, run.command_line, run.created_ns); }));
    KERNWATT_CHECK(quality("run", 0, run.quality));
    KERNWATT_CHECK(rows("device", run.devices));
    KERNWATT_CHECK(rows("kernel_class", run.classes));
    KERNWATT_CHECK(rows("observation", run.observations));
    KERNWATT_CHECK(power(run.power));
    KERNWATT_CHECK(iteration(run.iteration));
    KERNWATT_CHECK(column("covariance", 0, "class", std::span(run.covariance.class_index)));
    KERNWATT_CHECK(column("covariance", 0, "w2", std::span(run.covariance.w2)));
    KERNWATT_CHECK(attribution(run.attribution));
    for (std::size_t i = 0; i < run.traces.size(); ++i) KERNWATT_CHECK(trace(i, run.traces[i]));
    return record("seal", [sum = checksum_.value()](auto& out) { out(sum); });
  }

 private:
  Status create_tables() {
    KERNWATT_CHECK(database_.execute("BEGIN"));
    KERNWATT_CHECK(database_.execute("PRAGMA application_id=" + std::to_string(run_application_id)));
    KERNWATT_CHECK(database_.execute("PRAGMA user_version=" + std::to_string(run_file_version)));
    for (const TableDefinition& table : run_tables) KERNWATT_CHECK(database_.execute(std::string(table.sql)));
    return {};
  }

  /// "INSERT INTO table VALUES (?,?,…)" with as many marks as the table has columns.
  Result<sqlite::Statement> insertion(std::string_view table) {
    const std::string name(table);
    KERNWATT_TRY(const sqlite::Statement shape, database_.prepare("SELECT * FROM " + name));
    std::string marks = "?";
    for (int i = 1; i < shape.column_count(); ++i) marks += ",?";
    return database_.prepare("INSERT INTO " + name + " VALUES (" + marks + ")");
  }

  template <class Fill>
  Status insert(sqlite::Statement& statement, std::string_view table, const Fill& fill) {
    RecordWriter out(statement, table);
    fill(out);
    KERNWATT_TRY([[maybe_unused]] const bool more, statement.step());
    statement.reset();
    checksum_.add(out.hash());
    return {};
  }

  template <class Fill>
  Status record(std::string_view table, const Fill& fill) {
    KERNWATT_TRY(sqlite::Statement statement, insertion(table));
    return insert(statement, table, fill);
  }

  /// One record for each item: the leading columns, its position, its fields.
  template <class Items, class... Leading>
  Status rows(std::string_view table, const Items& items, const Leading&... leading) {
    KERNWATT_TRY(sqlite::Statement statement, insertion(table));
    std::int64_t position = 0;
    for (const auto& item : items) {
      KERNWATT_CHECK(insert(statement, table, [&](auto& out) {
        out(leading..., position);
        fields(out, item);
      }));
      ++position;
    }
    return {};
  }

  template <class T>
  Status column(std::string_view owner_table, std::int64_t owner, std::string_view name, std::span<T> values) {
    KERNWATT_TRY(sqlite::Statement statement, insertion("column_part"));
    for (std::int64_t part = 0; !values.empty(); ++part) {
      const auto chunk = values.first(std::min(values.size(), elements_per_part));
      KERNWATT_CHECK(insert(statement, "column_part",
                            [&](auto& out) { out(owner_table, owner, name, part, std::as_bytes(chunk)); }));
      values = values.subspan(chunk.size());
    }
    return {};
  }

  /// Each member of the items as a column of its own.
  template <class Item>
  Status columns_of(std::string_view owner_table, std::int64_t owner, const std::vector<Item>& items) {
    Status status;
    columns(
        [&]<class T>(std::string_view name, T Item::*member) {
          if (!status) return;
          std::vector<T> values(items.size());
          std::transform(items.begin(), items.end(), values.begin(), [&](const Item& item) { return item.*member; });
          status = column(owner_table, owner, name, std::span(values));
        },
        static_cast<const Item*>(nullptr));
    return status;
  }

  Status quality(std::string_view owner_table, std::int64_t owner, const QualityLedger& ledger) {
    for (const QualityEntry& entry : ledger.entries())
      KERNWATT_CHECK(record("quality", [&](auto& out) {
        out(owner_table, owner);
        fields(out, entry);
      }));
    return {};
  }

  Status power(const std::vector<PowerLog>& logs) {
    KERNWATT_CHECK(rows("power_log", logs));
    std::int64_t gpu_id = 0;
    for (std::size_t log = 0; log < logs.size(); ++log) {
      KERNWATT_CHECK(quality("power_log", static_cast<std::int64_t>(log), logs[log].quality));
      for (const GpuPower& gpu : logs[log].gpus) KERNWATT_CHECK(gpu_power(gpu_id++, log, gpu));
      KERNWATT_CHECK(owned("recorded_total", recorded_totals_, log, logs[log].totals));
      for (const SupportedClocks& clocks : logs[log].supported_clocks) KERNWATT_CHECK(supported_clocks(log, clocks));
    }
    return {};
  }

  /// Records that each name their owner; `next` counts the ids of the table.
  template <class Item>
  Status owned(std::string_view table, std::int64_t& next, std::size_t owner, const std::vector<Item>& items) {
    KERNWATT_TRY(sqlite::Statement statement, insertion(table));
    for (const Item& item : items)
      KERNWATT_CHECK(insert(statement, table, [&](auto& out) {
        out(next++, owner);
        fields(out, item);
      }));
    return {};
  }

  Status supported_clocks(std::size_t log, const SupportedClocks& clocks) {
    const std::int64_t id = supported_clocks_++;
    KERNWATT_CHECK(record("supported_clocks", [&](auto& out) {
      out(id, log);
      fields(out, clocks);
    }));
    const std::int64_t first = supported_memory_clocks_;
    KERNWATT_CHECK(
        owned("supported_memory_clock", supported_memory_clocks_, static_cast<std::size_t>(id), clocks.memory));
    for (std::size_t i = 0; i < clocks.memory.size(); ++i)
      KERNWATT_CHECK(column("supported_memory_clock", first + static_cast<std::int64_t>(i), "core_mhz",
                            std::span(clocks.memory[i].core_mhz)));
    return {};
  }

  Status gpu_power(std::int64_t id, std::size_t log, const GpuPower& gpu) {
    KERNWATT_CHECK(record("power_gpu", [&](auto& out) {
      out(id, log);
      fields(out, gpu);
    }));
    KERNWATT_CHECK(owned("missing_token", missing_tokens_, static_cast<std::size_t>(id), gpu.missing_tokens));
    Status status;
    series(
        [&](const std::string& name, const auto& readings) {
          if (status) status = column("power_gpu", id, name + ".time_ns", std::span(readings.time_ns));
          if (status) status = column("power_gpu", id, name, std::span(readings.value));
        },
        gpu);
    return status;
  }

  Status iteration(const CanonicalIteration& iteration) {
    KERNWATT_CHECK(record("iteration", [&](auto& out) { out(iteration.period_ns, iteration.observed); }));
    KERNWATT_CHECK(rows("iteration_layer", iteration.layers));
    KERNWATT_CHECK(rows("iteration_phase", iteration.phases));
    return columns_of("iteration", 0, iteration.launches);
  }

  Status attribution(const Attribution& result) {
    KERNWATT_CHECK(rows("trace_summary", result.traces));
    for (std::size_t i = 0; i < result.traces.size(); ++i)
      KERNWATT_CHECK(column("trace_summary", static_cast<std::int64_t>(i), "gpus", std::span(result.traces[i].gpus)));
    KERNWATT_CHECK(rows("power_summary", result.power));
    std::vector<EnergyAccount> accounts{result.total};
    accounts.insert(accounts.end(), result.gpus.begin(), result.gpus.end());
    KERNWATT_CHECK(rows("energy_account", accounts));
    KERNWATT_CHECK(record("iteration_summary", [&](auto& out) { fields(out, result.iterations); }));
    KERNWATT_CHECK(rows("attribution_row", result.rows));
    KERNWATT_CHECK(rows("tied_group", result.tied));
    for (std::size_t i = 0; i < result.tied.size(); ++i)
      KERNWATT_CHECK(column("tied_group", static_cast<std::int64_t>(i), "row_ids", std::span(result.tied[i].rows)));
    KERNWATT_CHECK(columns_of("cell", 0, result.breakdown.cells));
    KERNWATT_CHECK(columns_of("row_span", 0, result.breakdown.spans));
    return rows("explanation", result.explanations);
  }

  Status trace(std::size_t id, const Trace& trace) {
    const auto owner = static_cast<std::int64_t>(id);
    KERNWATT_CHECK(record("trace", [&](auto& out) {
      out(owner);
      fields(out, trace);
    }));
    KERNWATT_CHECK(quality("trace", owner, trace.quality));
    std::vector<std::string> names;
    for (NameId name = 0; name < trace.names.size(); ++name) names.emplace_back(trace.names.at(name));
    KERNWATT_CHECK(rows("trace_name", names, owner));
    KERNWATT_CHECK(rows("trace_gpu", trace.gpus, owner));
    KERNWATT_CHECK(rows("trace_stream", trace.streams, owner));
    KERNWATT_CHECK(rows("trace_class", trace.classes, owner));
    KERNWATT_CHECK(rows("trace_site", trace.sites, owner));
    KERNWATT_CHECK(columns_of("trace", owner, trace.calls));
    KERNWATT_CHECK(columns_of("trace", owner, trace.launches));
    KERNWATT_CHECK(columns_of("trace.iteration_marks", owner, trace.iteration_marks));
    return columns_of("trace.host_ranges", owner, trace.host_ranges);
  }

  sqlite::Database& database_;
  Checksum checksum_;
  std::int64_t missing_tokens_ = 0;
  std::int64_t recorded_totals_ = 0;
  std::int64_t supported_clocks_ = 0;
  std::int64_t supported_memory_clocks_ = 0;
};

}  // namespace

Status save_run(const Run& run, const std::filesystem::path& path, bool overwrite) {
  KERNWATT_TRY(NewFile file, NewFile::create(path, overwrite));
  const auto write = [&]() -> Status {
    KERNWATT_TRY(sqlite::Database database, sqlite::Database::open_to_write(file.temporary_path()));
    KERNWATT_CHECK(RunWriter(database).write(run));
    return database.execute("COMMIT");
  };
  if (Status status = write(); !status) {
    Error error = status.error();
    // A new file cannot be damaged by others: whatever is not the disk's fault is ours.
    if (error.code != ErrorCode::io) error.code = ErrorCode::internal;
    return Error{error.code, "the Run cannot be written: " + error.message, path.string()};
  }
  return file.commit();
}

}  // namespace kernwatt::run
