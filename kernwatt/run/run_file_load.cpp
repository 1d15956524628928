// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernwatt/run/run_checksum.hpp"
#include "kernwatt/run/run_codec.hpp"
#include "kernwatt/run/run_file.hpp"
#include "kernwatt/run/run_record_reader.hpp"
#include "kernwatt/run/run_schema.hpp"
#include "kernwatt/run/run_validate.hpp"
#include "kernwatt/run/sqlite.hpp"

namespace kernwatt::run {
namespace {

Error damaged(std::string what) { return {ErrorCode::bad_data, "damaged: " + std::move(what), ""}; }

class RunReader {
 public:
  /// file_size bounds the records: a damaged index of pages can lead in circles.
  RunReader(sqlite::Database& database, std::uintmax_t file_size, int version)
      : database_(database), records_left_(file_size), version_(version) {}

  Result<Run> read() {
    KERNWATT_CHECK(check_tables());
    Run run;
    KERNWATT_CHECK(one("run", [&](auto& in) { in(run.tool_version, run.command_line, run.created_ns); }));
    KERNWATT_CHECK(rows("device", run.devices));
    KERNWATT_CHECK(rows("kernel_class", run.classes));
    KERNWATT_CHECK(rows("observation", run.observations));
    KERNWATT_CHECK(power(run.power));
    KERNWATT_CHECK(iteration(run.iteration));
    KERNWATT_CHECK(column("covariance", 0, "class", run.covariance.class_index));
    KERNWATT_CHECK(column("covariance", 0, "w2", run.covariance.w2));
    KERNWATT_CHECK(attribution(run.attribution));
    KERNWATT_CHECK(traces(run.traces));
    KERNWATT_CHECK(quality(run));
    const std::int64_t found = checksum_.value();
    std::int64_t sealed = 0;
    KERNWATT_CHECK(one("seal", [&](auto& in) { in(sealed); }));
    if (found != sealed) return damaged("the checksum does not match what was read");
    KERNWATT_CHECK(validate(run));
    return run;
  }

 private:
  /// The tables must be those that we write: then no statement of the file's schema can surprise us.
  Status check_tables() {
    KERNWATT_TRY(sqlite::Statement statement,
                 database_.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"));
    for (const TableDefinition& table : run_tables) {
      if (table.since > version_) continue;
      statement.bind(1, table.name);
      KERNWATT_TRY(const bool found, statement.step());
      if (!found || statement.text(0) != sql_in_version(table, version_))
        return damaged("the table " + std::string(table.name) + " is missing or not as it was written");
      statement.reset();
    }
    return {};
  }

  template <class Take>
  Status each(std::string_view table, sqlite::Statement& statement, const Take& take) {
    for (;;) {
      KERNWATT_TRY(const bool more, statement.step());
      if (!more) return {};
      if (records_left_ == 0) return damaged("it has more records than bytes");
      --records_left_;
      RecordReader in(statement, table, version_);
      take(in);
      if (!in.ok()) return damaged("a value of the table " + std::string(table) + " is not what it should be");
      checksum_.add(in.hash());
    }
  }

  template <class Take>
  Status each(std::string_view table, const Take& take) {
    KERNWATT_TRY(sqlite::Statement statement,
                 database_.prepare("SELECT * FROM " + std::string(table) + " ORDER BY rowid"));
    return each(table, statement, take);
  }

  template <class Take>
  Status one(std::string_view table, const Take& take) {
    int count = 0;
    KERNWATT_CHECK(each(table, [&](auto& in) {
      take(in);
      ++count;
    }));
    if (count != 1) return damaged("the table " + std::string(table) + " must have one record");
    return {};
  }

  template <class Item>
  Status rows(std::string_view table, std::vector<Item>& items) {
    bool in_order = true;
    KERNWATT_CHECK(each(table, [&](auto& in) {
      in_order = in.expect(static_cast<std::int64_t>(items.size())) && in_order;
      fields(in, items.emplace_back());
    }));
    if (!in_order) return damaged("the table " + std::string(table) + " has gaps");
    return {};
  }

  /// Records that belong to a trace: give(trace, position, in) takes the fields, false if they do not fit.
  template <class Give>
  Status rows_of_traces(std::string_view table, std::vector<Trace>& traces, const Give& give) {
    bool in_order = true;
    KERNWATT_CHECK(each(table, [&](auto& in) {
      std::int64_t trace = 0;
      std::int64_t position = 0;
      in(trace, position);
      in_order = in_order && trace >= 0 && static_cast<std::size_t>(trace) < traces.size();
      in_order = in_order && give(traces[static_cast<std::size_t>(trace)], static_cast<std::size_t>(position), in);
    }));
    if (!in_order) return damaged("the table " + std::string(table) + " has gaps");
    return {};
  }

  template <class T>
  Status column(std::string_view owner_table, std::int64_t owner, std::string_view name, std::vector<T>& values) {
    KERNWATT_TRY(sqlite::Statement statement,
                 database_.prepare("SELECT part, data FROM column_part "
                                   "WHERE owner_table = ? AND owner = ? AND name = ? ORDER BY part"));
    statement.bind(1, owner_table);
    statement.bind(2, owner);
    statement.bind(3, name);
    for (std::int64_t part = 0;; ++part) {
      KERNWATT_TRY(const bool more, statement.step());
      if (!more) return {};
      const auto data = statement.blob(1);
      if (statement.integer(0) != part || !data || data->size() % sizeof(T) != 0)
        return damaged("the column " + std::string(name) + " of " + std::string(owner_table) + " has gaps");
      RecordHash hash("column_part");
      hash.add(std::as_bytes(std::span(owner_table)));
      hash.add(static_cast<std::uint64_t>(owner));
      hash.add(std::as_bytes(std::span(name)));
      hash.add(static_cast<std::uint64_t>(part));
      hash.add(*data);
      checksum_.add(hash);
      const std::size_t before = values.size();
      values.resize(before + data->size() / sizeof(T));
      if (!data->empty()) std::memcpy(values.data() + before, data->data(), data->size());
    }
  }

  template <class Item>
  Status columns_of(std::string_view owner_table, std::int64_t owner, std::vector<Item>& items) {
    Status status;
    bool first = true;
    columns(
        [&]<class T>(std::string_view name, T Item::*member) {
          if (!status) return;
          std::vector<T> values;
          status = column(owner_table, owner, name, values);
          if (std::exchange(first, false)) items.resize(values.size());
          if (status && values.size() != items.size())
            status = damaged("the columns of " + std::string(owner_table) + " differ in length");
          if (!status) return;
          for (std::size_t i = 0; i < items.size(); ++i) items[i].*member = values[i];
        },
        static_cast<const Item*>(nullptr));
    return status;
  }

  /// Records that each name their owner, one of `owners`.
  template <class Item>
  Status owned(std::string_view table, std::size_t owners, std::vector<std::pair<std::size_t, Item>>& items) {
    bool in_order = true;
    KERNWATT_CHECK(each(table, [&](auto& in) {
      in_order = in.expect(static_cast<std::int64_t>(items.size())) && in_order;
      auto& [owner, item] = items.emplace_back();
      in(owner);
      fields(in, item);
      in_order = in_order && owner < owners;
    }));
    if (!in_order) return damaged("the table " + std::string(table) + " has gaps");
    return {};
  }

  Status power(std::vector<PowerLog>& logs) {
    KERNWATT_CHECK(rows("power_log", logs));
    std::vector<std::pair<std::size_t, GpuPower>> gpus;
    KERNWATT_CHECK(owned("power_gpu", logs.size(), gpus));
    if (version_ >= 2) {
      KERNWATT_CHECK(missing_tokens(gpus));
    }
    for (std::size_t id = 0; id < gpus.size(); ++id) {
      auto& [log, gpu] = gpus[id];
      KERNWATT_CHECK(readings(static_cast<std::int64_t>(id), gpu));
      logs[log].gpus.push_back(std::move(gpu));
    }
    return version_ >= 2 ? totals_and_clocks(logs) : Status();
  }

  Status missing_tokens(std::vector<std::pair<std::size_t, GpuPower>>& gpus) {
    std::vector<std::pair<std::size_t, TokenCount>> tokens;
    KERNWATT_CHECK(owned("missing_token", gpus.size(), tokens));
    for (auto& [gpu, token] : tokens) gpus[gpu].second.missing_tokens.push_back(std::move(token));
    return {};
  }

  Status totals_and_clocks(std::vector<PowerLog>& logs) {
    std::vector<std::pair<std::size_t, RecordedTotal>> totals;
    KERNWATT_CHECK(owned("recorded_total", logs.size(), totals));
    for (auto& [log, total] : totals) logs[log].totals.push_back(std::move(total));
    std::vector<std::pair<std::size_t, SupportedClocks>> clocks;
    KERNWATT_CHECK(owned("supported_clocks", logs.size(), clocks));
    std::vector<std::pair<std::size_t, SupportedClocks::UnderMemoryClock>> memory;
    KERNWATT_CHECK(owned("supported_memory_clock", clocks.size(), memory));
    for (std::size_t id = 0; id < memory.size(); ++id) {
      auto& [owner, under] = memory[id];
      KERNWATT_CHECK(column("supported_memory_clock", static_cast<std::int64_t>(id), "core_mhz", under.core_mhz));
      clocks[owner].second.memory.push_back(std::move(under));
    }
    for (auto& [log, of_gpu] : clocks) logs[log].supported_clocks.push_back(std::move(of_gpu));
    return {};
  }

  Status readings(std::int64_t id, GpuPower& gpu) {
    Status status;
    series(
        [&](const std::string& name, auto& sensor) {
          if (status) status = column("power_gpu", id, name + ".time_ns", sensor.time_ns);
          if (status) status = column("power_gpu", id, name, sensor.value);
          if (status && sensor.time_ns.size() != sensor.value.size())
            status = damaged("the readings of " + name + " and their times differ in number");
        },
        gpu);
    return status;
  }

  Status iteration(CanonicalIteration& iteration) {
    KERNWATT_CHECK(one("iteration", [&](auto& in) { in(iteration.period_ns, iteration.observed); }));
    KERNWATT_CHECK(rows("iteration_layer", iteration.layers));
    KERNWATT_CHECK(rows("iteration_phase", iteration.phases));
    return columns_of("iteration", 0, iteration.launches);
  }

  Status attribution(Attribution& result) {
    KERNWATT_CHECK(rows("trace_summary", result.traces));
    for (std::size_t i = 0; i < result.traces.size(); ++i)
      KERNWATT_CHECK(column("trace_summary", static_cast<std::int64_t>(i), "gpus", result.traces[i].gpus));
    KERNWATT_CHECK(rows("power_summary", result.power));
    KERNWATT_CHECK(rows("energy_account", result.gpus));
    if (result.gpus.empty()) return damaged("the table energy_account has no total");
    result.total = result.gpus.front();
    result.gpus.erase(result.gpus.begin());
    KERNWATT_CHECK(one("iteration_summary", [&](auto& in) { fields(in, result.iterations); }));
    KERNWATT_CHECK(rows("attribution_row", result.rows));
    KERNWATT_CHECK(rows("tied_group", result.tied));
    for (std::size_t i = 0; i < result.tied.size(); ++i)
      KERNWATT_CHECK(column("tied_group", static_cast<std::int64_t>(i), "row_ids", result.tied[i].rows));
    KERNWATT_CHECK(columns_of("cell", 0, result.breakdown.cells));
    KERNWATT_CHECK(columns_of("row_span", 0, result.breakdown.spans));
    return rows("explanation", result.explanations);
  }

  Status traces(std::vector<Trace>& traces) {
    KERNWATT_CHECK(rows("trace", traces));
    KERNWATT_CHECK(rows_of_traces("trace_name", traces, [](Trace& trace, std::size_t position, auto& in) {
      std::string name;
      in(name);
      return trace.names.intern(name) == position && trace.names.size() == position + 1;
    }));
    const auto into = [](auto Trace::*member) {
      return [member](Trace& trace, std::size_t position, auto& in) {
        fields(in, (trace.*member).emplace_back());
        return (trace.*member).size() == position + 1;
      };
    };
    KERNWATT_CHECK(rows_of_traces("trace_gpu", traces, into(&Trace::gpus)));
    KERNWATT_CHECK(rows_of_traces("trace_stream", traces, into(&Trace::streams)));
    KERNWATT_CHECK(rows_of_traces("trace_class", traces, into(&Trace::classes)));
    KERNWATT_CHECK(rows_of_traces("trace_site", traces, into(&Trace::sites)));
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const auto owner = static_cast<std::int64_t>(i);
      KERNWATT_CHECK(columns_of("trace", owner, traces[i].calls));
      KERNWATT_CHECK(columns_of("trace", owner, traces[i].launches));
      KERNWATT_CHECK(columns_of("trace.iteration_marks", owner, traces[i].iteration_marks));
      KERNWATT_CHECK(columns_of("trace.host_ranges", owner, traces[i].host_ranges));
    }
    return {};
  }

  Status quality(Run& run) {
    bool known = true;
    KERNWATT_CHECK(each("quality", [&](auto& in) {
      std::string owner_table;
      std::size_t owner = 0;
      QualityEntry entry;
      in(owner_table, owner);
      fields(in, entry);
      QualityLedger* ledger = nullptr;
      if (owner_table == "run") ledger = &run.quality;
      if (owner_table == "power_log" && owner < run.power.size()) ledger = &run.power[owner].quality;
      if (owner_table == "trace" && owner < run.traces.size()) ledger = &run.traces[owner].quality;
      known = known && ledger != nullptr;
      if (ledger) ledger->add(entry.id, entry.severity, std::move(entry.message), entry.count);
    }));
    if (!known) return damaged("the table quality has entries of nobody");
    return {};
  }

  sqlite::Database& database_;
  std::uintmax_t records_left_;
  int version_;
  Checksum checksum_;
};

Result<std::int64_t> pragma(sqlite::Database& database, const std::string& name) {
  KERNWATT_TRY(sqlite::Statement statement, database.prepare("PRAGMA " + name));
  KERNWATT_TRY(const bool found, statement.step());
  if (!found) return damaged("its header is incomplete");
  return statement.integer(0).value_or(0);
}

Result<Run> read_file(const std::filesystem::path& path, std::uintmax_t size) {
  KERNWATT_TRY(sqlite::Database database, sqlite::Database::open_to_read(path));
  KERNWATT_TRY(const std::int64_t id, pragma(database, "application_id"));
  if (id != run_application_id)
    return Error{ErrorCode::bad_data,
                 "an SQLite file, but not a kernwatt Run; `kernwatt attribute … -o RUN.kw` makes one", ""};
  KERNWATT_TRY(const std::int64_t version, pragma(database, "user_version"));
  if (version > run_file_version)
    return Error{ErrorCode::bad_data,
                 "a Run of format " + std::to_string(version) + ", newer than this program knows (" +
                     std::to_string(run_file_version) + "); update kernwatt to read it",
                 ""};
  if (version < 1) return damaged("its format version is " + std::to_string(version));
  KERNWATT_TRY(const std::int64_t pages, pragma(database, "page_count"));
  KERNWATT_TRY(const std::int64_t page_size, pragma(database, "page_size"));
  if (pages < 1 || page_size < 1 || static_cast<std::uintmax_t>(pages) > size / static_cast<std::uintmax_t>(page_size))
    return damaged("the file is cut off");
  return RunReader(database, size, static_cast<int>(version)).read();
}

/// Says what is wrong with a path before SQLite does, in words that help.
Result<std::uintmax_t> size_of_run_file(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found)
    return Error{ErrorCode::io, "no such file", path.string()};
  if (status.type() == std::filesystem::file_type::directory)
    return Error{ErrorCode::io, "is a folder, not a Run file", path.string()};
  if (!std::filesystem::is_regular_file(status))
    return Error{ErrorCode::io, "is not a regular file; a Run is read from a file", path.string()};
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::io, "cannot be opened: " + std::generic_category().message(errno), path.string()};
  std::string head(magic.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!file || head != magic)
    return Error{ErrorCode::bad_data, "not a kernwatt Run file; `kernwatt attribute … -o RUN.kw` makes one",
                 path.string()};
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return Error{ErrorCode::io, "cannot be read: " + failed.message(), path.string()};
  return size;
}

}  // namespace

Result<Run> load_run(const std::filesystem::path& path) {
  KERNWATT_TRY(const std::uintmax_t size, size_of_run_file(path));
  Result<Run> run = read_file(path, size);
  if (run) return run;
  Error error = run.error();
  error.where = path.string();
  return error;
}

}  // namespace kernwatt::run
