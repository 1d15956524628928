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

#include "kernwatt/core/result.hpp"
#include "kernwatt/core/unique_handle.hpp"

/// The little of SQLite that the Run file needs. Private to this folder.
namespace kernwatt::run::sqlite {

struct DatabaseTraits {
  using Handle = sqlite3*;
  static Handle invalid() { return nullptr; }
  static void close(Handle handle) { sqlite3_close_v2(handle); }
};

struct StatementTraits {
  using Handle = sqlite3_stmt*;
  static Handle invalid() { return nullptr; }
  static void close(Handle handle) { sqlite3_finalize(handle); }
};

/// One prepared statement. Values bound by reference must live until the next step().
class Statement {
 public:
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  void bind(int parameter, std::int64_t value) { sqlite3_bind_int64(handle_.get(), parameter, value); }
  void bind(int parameter, double value) { sqlite3_bind_double(handle_.get(), parameter, value); }
  void bind(int parameter, std::string_view value);
  void bind(int parameter, std::span<const std::byte> value);
  void bind_null(int parameter) { sqlite3_bind_null(handle_.get(), parameter); }

  /// True while there is a row. Errors: as Database::error().
  Result<bool> step();
  void reset() { sqlite3_reset(handle_.get()); }

  int column_count() const { return sqlite3_column_count(handle_.get()); }
  bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  /// Empty when the column holds something of another type.
  std::optional<std::int64_t> integer(int column) const;
  std::optional<double> real(int column) const;
  std::optional<std::string_view> text(int column) const;            ///< lives until the next step
  std::optional<std::span<const std::byte>> blob(int column) const;  ///< lives until the next step

 private:
  UniqueHandle<StatementTraits> handle_;
};

class Database {
 public:
  /// Opens for reading. Nothing in the file is trusted: views and triggers of its schema are never run.
  static Result<Database> open_to_read(const std::filesystem::path& path);
  /// Opens an empty file for writing, without a journal: the file is thrown away when writing fails.
  static Result<Database> open_to_write(const std::filesystem::path& path);

  Status execute(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  /// The last failure in SQLite's words, as io (disk) or bad_data (the file's content).
  Error error() const;

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  static Result<Database> open(const std::string& name, int flags);
  UniqueHandle<DatabaseTraits> handle_;
};

}  // namespace kernwatt::run::sqlite
