// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "kernwatt/core/error.hpp"

namespace kernwatt {

/// A value or an Error, with the names of std::expected (which GCC 12 has only in C++23 mode).
/// Exceptions stay for bugs and for memory; what a user can meet travels in here.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  /// Precondition: has_value(); otherwise throws std::bad_variant_access.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// Precondition: !has_value().
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }
  T value_or(T other) const& { return has_value() ? value() : std::move(other); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

#define KERNWATT_CONCAT_(a, b) a##b
#define KERNWATT_CONCAT(a, b) KERNWATT_CONCAT_(a, b)
#define KERNWATT_TRY_(name, declaration, expression)     \
  auto name = (expression);                              \
  if (!name.has_value()) return std::move(name).error(); \
  declaration = std::move(name).value()

/// KERNWATT_TRY(auto x, f()); binds the value, or returns f's Error from the enclosing function.
#define KERNWATT_TRY(declaration, ...) \
  KERNWATT_TRY_(KERNWATT_CONCAT(kernwatt_result_, __LINE__), declaration, (__VA_ARGS__))
/// KERNWATT_CHECK(f()); returns f's Error from the enclosing function, if it has one.
#define KERNWATT_CHECK(...) \
  if (auto kernwatt_status = (__VA_ARGS__); !kernwatt_status.has_value()) return std::move(kernwatt_status).error()

}  // namespace kernwatt
