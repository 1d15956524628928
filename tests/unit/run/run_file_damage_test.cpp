// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>

#include "kernwatt/run/run_file.hpp"
#include "tests/unit/run/random_run.hpp"
#include "tests/unit/run/run_dump.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt::run {
namespace {

using testing::HasSubstr;

class DamagedRunFile : public testing::Test {
 protected:
  DamagedRunFile() {
    EXPECT_TRUE(save_run(random_run(7), path_));
    content_ = read_file(path_);
  }

  /// Changes the file with SQL, as somebody with bad intentions would.
  void change(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &message), SQLITE_OK) << (message ? message : "");
    sqlite3_free(message);
    sqlite3_close(database);
  }

  Error refused() const {
    const Result<run::Run> loaded = load_run(path_);
    EXPECT_FALSE(loaded.has_value());
    if (loaded) return {};
    EXPECT_EQ(loaded.error().where, path_.string());
    return loaded.error();
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.file("run.kw");
  std::string content_;
};

TEST_F(DamagedRunFile, CutOffAnywhereIsAnErrorAndNoCrash) {
  for (std::size_t size = 0; size < content_.size(); size += 1999) {
    write_file(path_, content_.substr(0, size));
    EXPECT_EQ(refused().code, ErrorCode::bad_data) << size;
  }
}

TEST_F(DamagedRunFile, AFlippedBitIsFoundOrDoesNotMatter) {
  const std::string whole = dump(random_run(7));
  std::mt19937 engine(11);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = content_;
    char& byte = damaged[engine() % damaged.size()];
    byte = static_cast<char>(byte ^ (1 << (engine() % 8)));
    write_file(path_, damaged);
    const Result<run::Run> loaded = load_run(path_);
    if (loaded) {
      EXPECT_EQ(dump(*loaded), whole);
    }
  }
}

TEST_F(DamagedRunFile, PagesOfGarbageAreAnErrorAndNoCrash) {
  std::mt19937 engine(5);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = content_;
    const std::size_t start = 100 + engine() % (damaged.size() - 100);
    for (std::size_t at = start; at < std::min(damaged.size(), start + 600); ++at)
      damaged[at] = static_cast<char>(engine());
    write_file(path_, damaged);
    [[maybe_unused]] const Result<run::Run> loaded = load_run(path_);
  }
}

TEST_F(DamagedRunFile, OtherFilesAreNamedForWhatTheyAre) {
  write_file(path_, "");
  EXPECT_THAT(refused().message, HasSubstr("not a kernwatt Run"));
  write_file(path_, R"({"traceEvents": []})");
  EXPECT_THAT(refused().message, HasSubstr("not a kernwatt Run"));
  std::filesystem::remove(path_);
  change("CREATE TABLE notes (text)");
  EXPECT_THAT(refused().message, HasSubstr("an SQLite file, but not a kernwatt Run"));
  std::filesystem::remove(path_);
  EXPECT_EQ(refused().code, ErrorCode::io);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(refused().message, HasSubstr("folder"));
}

TEST_F(DamagedRunFile, ANewerFormatIsToldFromDamage) {
  change("PRAGMA user_version = 3");
  const Error error = refused();
  EXPECT_EQ(error.code, ErrorCode::bad_data);
  EXPECT_THAT(error.message, HasSubstr("newer than this program knows"));
}

TEST_F(DamagedRunFile, ChangedValuesDoNotMatchTheSeal) {
  change("UPDATE run SET command_line = 'another'");
  EXPECT_THAT(refused().message, HasSubstr("checksum"));
}

TEST_F(DamagedRunFile, ValuesOfAnotherTypeAreRefused) {
  change("UPDATE run SET created_ns = 'yesterday'");
  EXPECT_THAT(refused().message, HasSubstr("table run"));
}

TEST_F(DamagedRunFile, ATableOfTheSameNameButOtherMakeIsRefused) {
  change(
      "DROP TABLE device; CREATE VIEW device AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n) "
      "SELECT i, i, 'a', 'b', 'c', i FROM n");
  EXPECT_THAT(refused().message, HasSubstr("table device"));
}

TEST_F(DamagedRunFile, ATableOfTheUsersOwnIsNoDamage) {
  change("CREATE TABLE my_notes (text)");
  EXPECT_TRUE(load_run(path_));
}

/// References that point nowhere can only be made by forging the seal as well; so they are made before saving.
void expect_refused(const Run& run, std::string_view what) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_run(run, folder.file("bad.kw")));
  const Result<run::Run> loaded = load_run(folder.file("bad.kw"));
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::bad_data);
  EXPECT_THAT(loaded.error().message, HasSubstr(std::string(what)));
}

TEST(RunFileReferences, ThatPointNowhereAreRefused) {
  run::Run run;
  run.iteration.launches.push_back({3, 0, none, none, 0, 0});
  expect_refused(run, "launches of the iteration");

  run = {};
  run.covariance.class_index = {0};
  run.covariance.w2 = {1};
  expect_refused(run, "covariance");

  run = {};
  run.attribution.rows.emplace_back().gpu = 0;
  expect_refused(run, "attribution_row");

  run = {};
  run.attribution.rows.resize(2);
  expect_refused(run, "two rows");

  run = {};
  run.attribution.explanations.push_back({9, {}, ""});
  expect_refused(run, "explanation");

  run = {};
  run.traces.emplace_back().launches.push_back({0, 1, 5, none, none, none});
  expect_refused(run, "launches of a trace");

  run = {};
  run.traces.emplace_back().launches.push_back({0, -1, none, none, none, none});
  expect_refused(run, "ends before it starts");

  run = {};
  run.traces.emplace_back().streams.push_back({4, none});
  expect_refused(run, "trace_stream");
}

}  // namespace
}  // namespace kernwatt::run
