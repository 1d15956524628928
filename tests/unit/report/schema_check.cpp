// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/schema_check.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkstemp is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace kernwatt::report {

int check_schema(const std::string& name, const std::string& document) {
  std::string path = ::testing::TempDir() + "kernwatt-json-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  ::close(descriptor);
  std::ofstream(path) << document;
  const std::string root = KERNWATT_SOURCE_DIR;
  const std::string command = "python3 '" + root + "/tests/unit/report/check_schema.py' '" + root + "/docs/schema/" +
                              name + ".schema.json' '" + path + "'";
  const int status = std::system(command.c_str());  // NOLINT(bugprone-command-processor): our own script
  ::unlink(path.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace kernwatt::report
