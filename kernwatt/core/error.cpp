// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/core/error.hpp"

namespace kernwatt {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::io:
      return "input/output error";
    case ErrorCode::bad_data:
      return "bad data";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::permission_denied:
      return "permission denied";
    case ErrorCode::vendor_failure:
      return "vendor failure";
    case ErrorCode::internal:
      return "internal error";
  }
  return "unknown error";
}

}  // namespace kernwatt
