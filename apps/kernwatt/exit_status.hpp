// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/core/error.hpp"

namespace kernwatt::app {

/// Exit statuses are an interface: docs/cli/exit-status.md (a test compares).
inline constexpr int exit_refused_by_strict = 10;
inline constexpr int exit_regression = 11;
inline constexpr int exit_internal = 70;

constexpr int exit_status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 2;
    case ErrorCode::io:
      return 3;
    case ErrorCode::bad_data:
      return 4;
    case ErrorCode::unavailable:
      return 5;
    case ErrorCode::unsupported:
      return 6;
    case ErrorCode::permission_denied:
      return 7;
    case ErrorCode::vendor_failure:
      return 8;
    case ErrorCode::internal:
      return exit_internal;
  }
  return exit_internal;
}

}  // namespace kernwatt::app
