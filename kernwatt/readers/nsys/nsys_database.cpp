// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/nsys_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers::nsys {
namespace {

char small(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; }

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return small(x) == small(y); });
}

std::string in_quotes(std::string_view name) {
  std::string out = "\"";
  for (const char byte : name) {
    if (byte == '"') out += '"';
    out += byte;
  }
  return out + '"';
}

/// So that neither a schema nor a value of the file costs more than reading it.
void restrict(sqlite3* handle) {
  constexpr int longest_value = 256 << 20;
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 50);
  sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
}

std::string as_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char byte : path.string()) {
    if (byte == '%' || byte == '?' || byte == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    } else {
      uri += byte;
    }
  }
  return uri + "?immutable=1";  // no lock, and no journal beside the file is played back into it
}

Error error_of(sqlite3* handle) {
  const int code = sqlite3_errcode(handle) & 0xff;
  const bool disk = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_PERM;
  return {disk ? ErrorCode::io : ErrorCode::bad_data,
          fmt::format("cannot be read as an SQLite database ({}): it is damaged or was not written completely; export "
                      "it again",
                      sqlite3_errmsg(handle)),
          {}};
}

}  // namespace

Result<NsysDatabase> NsysDatabase::open(const std::filesystem::path& path) {
  NsysDatabase database;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(as_uri(path).c_str(), &handle,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return error_of(handle);
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  database.size_bytes_ = ignored ? 0 : static_cast<std::uint64_t>(size);
  restrict(handle);
  KERNWATT_CHECK(database.load_tables());
  return database;
}

Result<NsysDatabase> NsysDatabase::in_memory(std::string bytes) {
  // A file that was written with a log beside it (WAL) says so in two bytes, and cannot be read from memory as such.
  constexpr std::size_t write_version = 18;
  constexpr std::size_t read_version = 19;
  constexpr std::size_t smallest = 512;  // one page
  if (bytes.size() < smallest) return Error{ErrorCode::bad_data, "ends before the first page of its database", {}};
  if (bytes[write_version] == 2) bytes[write_version] = 1;
  if (bytes[read_version] == 2) bytes[read_version] = 1;
  NsysDatabase database;
  database.bytes_ = std::move(bytes);
  database.size_bytes_ = database.bytes_.size();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return error_of(handle);
  const auto size = static_cast<sqlite3_int64>(database.bytes_.size());
  auto* data = reinterpret_cast<unsigned char*>(database.bytes_.data());
  if (sqlite3_deserialize(handle, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return error_of(handle);
  }
  restrict(handle);
  KERNWATT_CHECK(database.load_tables());
  return database;
}

Status NsysDatabase::load_tables() {
  const auto prepare = [this](const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr);
    return UniqueHandle<run::sqlite::StatementTraits>(statement);
  };
  const auto text = [](const auto& statement, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
    return std::string(bytes == nullptr ? "" : bytes);
  };
  const auto names = prepare("SELECT name FROM sqlite_master WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
  if (!names) return error_of(handle_.get());
  constexpr std::size_t most_tables = 10'000;
  int code = SQLITE_ROW;
  while (tables_.size() < most_tables && (code = sqlite3_step(names.get())) == SQLITE_ROW) {
    tables_.push_back({text(names, 0), {}});
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error_of(handle_.get());
  for (Table& table : tables_) {
    const auto columns = prepare("PRAGMA table_info(" + in_quotes(table.name) + ")");  // without generated columns
    while (columns && sqlite3_step(columns.get()) == SQLITE_ROW) table.columns.push_back(text(columns, 1));
  }
  application_id_ = single_integer("PRAGMA application_id").value_or(0);
  return {};
}

std::optional<std::int64_t> NsysDatabase::single_integer(const std::string& sql) const {
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &prepared, nullptr);
  const UniqueHandle<run::sqlite::StatementTraits> statement(prepared);
  if (!statement || sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
  if (sqlite3_column_type(statement.get(), 0) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement.get(), 0);
}

const Table* NsysDatabase::find(std::string_view name) const {
  const auto found =
      std::find_if(tables_.begin(), tables_.end(), [name](const Table& table) { return same_name(table.name, name); });
  return found != tables_.end() ? &*found : nullptr;
}

std::uint64_t NsysDatabase::rows_at_most(const Table& table) const {
  constexpr std::uint64_t smallest_row = 16;  // bytes; events have many columns
  const auto last = single_integer("SELECT max(rowid) FROM " + in_quotes(table.name));
  if (!last || *last < 0) return 0;
  return std::min(static_cast<std::uint64_t>(*last), size_bytes_ / smallest_row);
}

std::optional<std::uint64_t> NsysDatabase::count_rows(const Table& table) const {
  const auto count = single_integer("SELECT count(*) FROM " + in_quotes(table.name));
  if (!count || *count < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*count);
}

TableScan::TableScan(NsysDatabase& database, const Table* table, std::span<const std::string_view> columns)
    : database_(database), table_(table), position_(columns.size(), -1) {
  if (table == nullptr) return;
  std::string list;
  int taken = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto found = std::find_if(table->columns.begin(), table->columns.end(),
                                    [&](const std::string& name) { return same_name(name, columns[i]); });
    if (found == table->columns.end()) continue;
    position_[i] = taken;
    list += (taken++ == 0 ? "" : ",") + in_quotes(*found);
  }
  if (taken == 0) return;
  const std::string sql = "SELECT " + list + " FROM " + in_quotes(table->name) + " NOT INDEXED";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    stop(sqlite3_errmsg(database.handle()));
    return;
  }
  statement_.reset(statement);
}

void TableScan::stop(std::string reason) {
  database_.note({table_->name, std::move(reason), rows_});
  statement_.reset();
}

bool TableScan::next() {
  if (!statement_) return false;
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW) {
    if (code != SQLITE_DONE) stop(sqlite3_errmsg(database_.handle()));
    return false;
  }
  // A tree whose branches meet again would go on for ever; no row takes less than two bytes.
  if (++rows_ > database_.size_bytes() / 2 + 1) {
    stop("it has more rows than the file can hold");
    return false;
  }
  return true;
}

bool TableScan::is_null(std::size_t column) const {
  const int position = position_[column];
  return position < 0 || sqlite3_column_type(statement_.get(), position) == SQLITE_NULL;
}

std::optional<std::int64_t> TableScan::integer(std::size_t column) const {
  const int position = position_[column];
  if (position < 0) return std::nullopt;
  const int type = sqlite3_column_type(statement_.get(), position);
  if (type == SQLITE_INTEGER) return sqlite3_column_int64(statement_.get(), position);
  return unusual_integer(position, type);
}

std::optional<std::int64_t> TableScan::unusual_integer(int position, int type) const {
  if (type == SQLITE_FLOAT) {
    constexpr double exact = 9'007'199'254'740'992.0;
    const double value = sqlite3_column_double(statement_.get(), position);
    if (std::abs(value) <= exact && std::floor(value) == value) return static_cast<std::int64_t>(value);
    return std::nullopt;
  }
  if (type != SQLITE_TEXT) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), position));
  if (bytes == nullptr) return std::nullopt;
  return parse_int64(trim({bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), position))}));
}

std::optional<std::string_view> TableScan::text(std::size_t column) const {
  const int position = position_[column];
  if (position < 0 || sqlite3_column_type(statement_.get(), position) != SQLITE_TEXT) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), position));
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), position)));
}

}  // namespace kernwatt::readers::nsys
