// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kernwatt::report {

/// Holds a document to docs/schema/<name>.schema.json. 0: it follows it; 1: it does not; 77: a tool that is there on a
/// developer's machine is missing.
int check_schema(const std::string& name, const std::string& document);

}  // namespace kernwatt::report
