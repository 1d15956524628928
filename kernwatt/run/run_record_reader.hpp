// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernwatt/run/run_checksum.hpp"
#include "kernwatt/run/run_codec.hpp"
#include "kernwatt/run/sqlite.hpp"

/// Private to this folder.
namespace kernwatt::run {

/// Takes one record's values, one after the other, and refuses any of another type or out of range.
class RecordReader {
 public:
  RecordReader(const sqlite::Statement& statement, std::string_view table, int version)
      : statement_(statement), hash_(table), version_(version) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  /// A value that files of an earlier version do not have: it keeps its default there.
  template <class T>
  void since(int version, T& value) {
    if (version_ >= version) get(value);
  }
  void index(std::uint32_t& value) {
    std::optional<std::uint32_t> found;
    get(found);
    value = found.value_or(none);
  }
  void index_since(int version, std::uint32_t& value) {
    if (version_ >= version) index(value);
  }
  /// The next value must be this one: the owner or the position that follows from what was read before.
  bool expect(std::int64_t wanted) {
    std::int64_t found = 0;
    get(found);
    return found == wanted;
  }
  bool ok() const { return ok_; }
  const RecordHash& hash() const { return hash_; }

 private:
  std::int64_t integer() {
    const std::optional<std::int64_t> value = statement_.integer(column_++);
    ok_ = ok_ && value.has_value();
    hash_.add(static_cast<std::uint64_t>(value.value_or(0)));
    return value.value_or(0);
  }
  template <std::integral T>
  void get(T& value) {
    const std::int64_t stored = integer();
    value = static_cast<T>(stored);
    ok_ = ok_ && static_cast<std::int64_t>(value) == stored;
  }
  void get(double& value) {
    const std::optional<double> stored = statement_.real(column_++);
    ok_ = ok_ && stored.has_value();
    value = stored.value_or(0);
    hash_.add(std::bit_cast<std::uint64_t>(value));
  }
  void get(std::string& value) {
    const std::optional<std::string_view> stored = statement_.text(column_++);
    ok_ = ok_ && stored.has_value();
    value = stored.value_or("");
    hash_.add(std::as_bytes(std::span(std::as_const(value))));
  }
  template <class E>
  requires std::is_enum_v<E>
  void get(E& value) {
    std::string name;
    get(name);
    for (const auto& known : names_of(value)) {
      if (known.name != name) continue;
      value = known.value;
      return;
    }
    ok_ = false;
  }
  template <class T>
  void get(std::optional<T>& value) {
    if (!statement_.is_null(column_)) return get(value.emplace());
    constexpr int width = std::is_same_v<T, Dim3> ? 3 : std::is_same_v<T, Interval> ? 2 : 1;
    for (int i = 0; i < width; ++i, ++column_) {
      ok_ = ok_ && statement_.is_null(column_);
      hash_.add(0);
    }
  }
  void get(Dim3& value) {
    for (std::uint32_t& extent : value) get(extent);
  }
  void get(Interval& value) {
    get(value.low);
    get(value.high);
  }
  void get(std::vector<std::string>& lines) {
    std::string joined;
    get(joined);
    for (std::string_view rest = joined; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      lines.emplace_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  void get(std::vector<NameId>& ids) {
    const auto stored = statement_.blob(column_++);
    ok_ = ok_ && stored.has_value() && stored->size() % sizeof(NameId) == 0;
    if (!ok_) return;
    hash_.add(*stored);
    ids.resize(stored->size() / sizeof(NameId));
    if (!ids.empty()) std::memcpy(ids.data(), stored->data(), stored->size());
  }

  const sqlite::Statement& statement_;
  RecordHash hash_;
  int version_;
  int column_ = 0;
  bool ok_ = true;
};

}  // namespace kernwatt::run
