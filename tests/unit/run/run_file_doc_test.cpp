// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "kernwatt/run/run_file.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt::run {
namespace {

std::vector<std::string> tables_in_file(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::vector<std::string> tables;
  const auto take = [](void* out, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(values[0]);
    return 0;
  };
  const char* sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
  EXPECT_EQ(sqlite3_exec(database, sql, take, &tables, nullptr), SQLITE_OK);
  sqlite3_close(database);
  return tables;
}

/// The statements of the page's ```sql blocks.
std::vector<std::string> tables_in_page(std::string page) {
  std::vector<std::string> tables;
  for (std::size_t at = page.find("CREATE TABLE"); at != std::string::npos; at = page.find("CREATE TABLE", at + 1))
    tables.push_back(page.substr(at, page.find(";\n", at) - at));
  return tables;
}

TEST(RunFilePage, ListsTheTablesAsTheyAreWritten) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_run({}, folder.file("run.kw")));
  const std::string page = read_file(std::string(KERNWATT_SOURCE_DIR) + "/docs/run-file.md");
  EXPECT_EQ(tables_in_page(page), tables_in_file(folder.file("run.kw")));
}

TEST(RunFilePage, NamesTheApplicationIdAndTheVersion) {
  const std::string page = read_file(std::string(KERNWATT_SOURCE_DIR) + "/docs/run-file.md");
  EXPECT_THAT(page, testing::HasSubstr("0x4b57524e"));
  EXPECT_THAT(page, testing::HasSubstr("user_version` is " + std::to_string(run_file_version)));
}

}  // namespace
}  // namespace kernwatt::run
