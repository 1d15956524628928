// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/sqlite.hpp"

#include <utility>

namespace kernwatt::run::sqlite {
namespace {

ErrorCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::io;
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorCode::permission_denied;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISUSE:
    case SQLITE_TOOBIG:
      return ErrorCode::internal;
    default:
      return ErrorCode::bad_data;
  }
}

Error error_of(sqlite3* handle) { return {code_of(sqlite3_extended_errcode(handle)), sqlite3_errmsg(handle), ""}; }

std::string escape_for_uri(const std::string& path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#') {
      escaped += {'%', hex[byte >> 4U], hex[byte & 0xfU]};
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void Statement::bind(int parameter, std::string_view value) {
  // A null pointer would bind NULL; an empty text is not "unknown".
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(handle_.get(), parameter, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int parameter, std::span<const std::byte> value) {
  const void* data = value.data() == nullptr ? static_cast<const void*>("") : value.data();
  sqlite3_bind_blob64(handle_.get(), parameter, data, value.size(), SQLITE_STATIC);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(sqlite3_db_handle(handle_.get()));
}

std::optional<std::int64_t> Statement::integer(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(handle_.get(), column);
}

std::optional<double> Statement::real(int column) const {
  const int type = sqlite3_column_type(handle_.get(), column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_double(handle_.get(), column);
}

std::optional<std::string_view> Statement::text(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_TEXT) return std::nullopt;
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (data == nullptr) return std::nullopt;
  return std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

std::optional<std::span<const std::byte>> Statement::blob(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_BLOB) return std::nullopt;
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (data == nullptr) return std::span<const std::byte>();
  return std::span(data, size);
}

Result<Database> Database::open(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) return Error{code_of(code), handle ? sqlite3_errmsg(handle) : "out of memory", ""};
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return database;
}

Result<Database> Database::open_to_read(const std::filesystem::path& path) {
  // immutable: no lock, and no journal that lies beside the file is ever played back into it.
  const std::string uri = "file:" + escape_for_uri(path.string()) + "?immutable=1";
  KERNWATT_TRY(Database database, open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
  KERNWATT_CHECK(database.execute("PRAGMA cell_size_check=ON"));
  return database;
}

Result<Database> Database::open_to_write(const std::filesystem::path& path) {
  KERNWATT_TRY(Database database, open(path.string(), SQLITE_OPEN_READWRITE));
  KERNWATT_CHECK(database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE"));
  return database;
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return error();
  return Statement(statement);
}

Error Database::error() const { return error_of(handle_.get()); }

}  // namespace kernwatt::run::sqlite
