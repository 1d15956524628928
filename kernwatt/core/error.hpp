// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kernwatt {

/// What the caller can do about an error. The command line maps each code to one exit status (docs/cli/exit-status.md).
enum class ErrorCode {
  invalid_argument,   ///< the request makes no sense: change it
  io,                 ///< a file or a pipe failed: path, space, permission of the file
  bad_data,           ///< the input was read but is not what it should be
  unavailable,        ///< not here, not now: another source or machine may have it
  unsupported,        ///< this device, driver or format never has it
  permission_denied,  ///< it exists, but this user may not
  vendor_failure,     ///< a vendor's library failed in a way that we cannot mend
  internal            ///< our own bug
};

std::string_view to_string(ErrorCode code);

/// An expected failure. The message names the thing, the reason and the way out.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string where;  ///< file, device or option that the message is about; may be empty

  /// "where: message", or the message alone.
  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

}  // namespace kernwatt
