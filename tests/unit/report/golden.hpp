// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kernwatt::report {

/// Compares with tests/golden/report/<name>, or writes it when KERNWATT_UPDATE_GOLDEN=1: then look at the difference.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace kernwatt::report
