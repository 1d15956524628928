// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/sqlite.hpp"

namespace kernwatt::readers::nsys {

/// A table that holds rows of its own: views, virtual tables and generated columns are left out, since reading them
/// would run what the file says.
struct Table {
  std::string name;
  std::vector<std::string> columns;
};

/// Where reading a table had to stop.
struct Damage {
  std::string table;
  std::string reason;  ///< in SQLite's words
  std::uint64_t rows_before = 0;
};

/// An SQLite file of unknown origin, open for reading. Nothing in it is run, and nothing beside it is touched.
class NsysDatabase {
 public:
  /// Errors: io; bad_data (no SQLite, its list of tables is damaged).
  static Result<NsysDatabase> open(const std::filesystem::path& path);
  /// Over bytes in memory. Errors: as open, except io.
  static Result<NsysDatabase> in_memory(std::string bytes);

  /// Names are compared without case. Null when there is none.
  const Table* find(std::string_view name) const;
  const std::vector<Table>& tables() const { return tables_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::int64_t application_id() const { return application_id_; }
  /// A guess at the number of rows, for progress and for reserving memory: the largest rowid, within what the file
  /// can hold.
  std::uint64_t rows_at_most(const Table& table) const;
  /// All rows of a table, counted; empty when it is damaged.
  std::optional<std::uint64_t> count_rows(const Table& table) const;

  const std::vector<Damage>& damage() const { return damage_; }
  void note(Damage damage) { damage_.push_back(std::move(damage)); }
  sqlite3* handle() const { return handle_.get(); }

 private:
  Status load_tables();
  std::optional<std::int64_t> single_integer(const std::string& sql) const;

  std::string bytes_;  // of a database in memory; outlives the handle
  UniqueHandle<run::sqlite::DatabaseTraits> handle_;
  std::vector<Table> tables_;
  std::vector<Damage> damage_;
  std::uint64_t size_bytes_ = 0;
  std::int64_t application_id_ = 0;
};

/// One pass over the rows of a table, in the order of the file. Columns are asked for by their position in the list
/// that was given; one that the table lacks is absent in each row. Damage ends the pass and is noted in the database.
class TableScan {
 public:
  /// `table` may be null: no rows. Both must outlive the scan.
  TableScan(NsysDatabase& database, const Table* table, std::span<const std::string_view> columns);

  bool next();
  bool has(std::size_t column) const { return position_[column] >= 0; }
  bool is_null(std::size_t column) const;
  /// A whole number, also one that is stored as a fraction or in text; empty for anything else.
  std::optional<std::int64_t> integer(std::size_t column) const;
  /// Text; empty for anything else. Lives until the next row.
  std::optional<std::string_view> text(std::size_t column) const;
  std::uint64_t rows() const { return rows_; }

 private:
  std::optional<std::int64_t> unusual_integer(int position, int type) const;
  void stop(std::string reason);

  NsysDatabase& database_;
  const Table* table_;
  std::vector<int> position_;
  UniqueHandle<run::sqlite::StatementTraits> statement_;
  std::uint64_t rows_ = 0;
};

}  // namespace kernwatt::readers::nsys
