// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <fstream>

#include "kernwatt/run/run_schema.hpp"
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("kernwatt-nsys-" + name);
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
}

Recording& some_kernels(Recording& recording, int count = 2000) {
  recording.with_tables().sql("BEGIN");
  for (int i = 1; i <= count; ++i) recording.kernel({.start = 100 * i, .end = 100 * i + 50, .correlation = i});
  return recording.sql("COMMIT");
}

TEST(NsysBadInput, ARunIsToldApart) {
  Recording recording;
  recording.with_tables().sql(fmt::format("PRAGMA application_id={}", run::run_application_id));
  const auto trace = recording.read();
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::unsupported);
  EXPECT_THAT(trace.error().message, ::testing::HasSubstr("kernwatt show"));
}

TEST(NsysBadInput, OtherDatabasesAreRefusedWithWhatTheyHold) {
  Recording recording;
  recording.sql("CREATE TABLE moz_places (id INTEGER)");
  const auto trace = recording.read();
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::bad_data);
  EXPECT_THAT(trace.error().message, ::testing::HasSubstr("moz_places"));
}

TEST(NsysBadInput, ViewsVirtualTablesAndGeneratedColumnsAreNotRun) {
  Recording recording;
  recording.with_tables().sql(
      "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS "
      "WITH RECURSIVE forever(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM forever) "
      "SELECT n AS start, n AS end, n AS globalTid, n AS correlationId, 1 AS nameId FROM forever;"
      "DROP TABLE NVTX_EVENTS; CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER,"
      " text TEXT GENERATED ALWAYS AS (printf('%.*c', 100000000, 'x')) VIRTUAL, globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid) VALUES (1, 2, 59, 1)");
  recording.kernel({.start = 100, .end = 200, .correlation = 1});
  const auto trace = recording.read();
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->launches.size(), 1U);
  EXPECT_TRUE(trace->host_ranges.empty());
}

TEST(NsysBadInput, ATornFileGivesWhatCameBefore) {
  Recording recording;
  std::string bytes = some_kernels(recording).bytes();
  bytes.resize(bytes.size() / 2);
  const auto trace = Recording::read_bytes(bytes);
  if (!trace) {
    EXPECT_EQ(trace.error().code, ErrorCode::bad_data);
    return;
  }
  EXPECT_NE(find_entry(*trace, "trace.damaged"), nullptr);
  EXPECT_LT(trace->launches.size(), 2000U);
}

TEST(NsysBadInput, ABrokenPageIsSaidAndTheRowsBeforeAreKept) {
  Recording recording;
  std::string bytes = some_kernels(recording).bytes();
  constexpr std::size_t page = 4096;
  const std::size_t victim = (bytes.size() / page * 2 / 3) * page;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(victim), page, '\xff');
  const auto trace = Recording::read_bytes(bytes);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_NE(find_entry(*trace, "trace.damaged"), nullptr);
  EXPECT_GT(trace->launches.size(), 0U);
  EXPECT_LT(trace->launches.size(), 2000U);
}

TEST(NsysBadInput, AHeaderAloneIsAnError) {
  for (const std::size_t size : {16, 100, 511, 600}) {
    std::string bytes("SQLite format 3\0", 16);
    bytes.resize(size, '\0');
    const auto trace = Recording::read_bytes(bytes);
    ASSERT_FALSE(trace) << size;
    EXPECT_FALSE(trace.error().message.empty());
  }
}

TEST(NsysBadInput, NamesThatAreNoUtf8AreShown) {
  Recording recording;
  recording.with_tables().sql("UPDATE StringIds SET value = CAST(x'66ff0a67' AS TEXT) WHERE id = 2");
  recording.kernel({.start = 100, .end = 200, .correlation = 1});
  const auto trace = recording.read();
  ASSERT_TRUE(trace);
  EXPECT_EQ(name_of(*trace, trace->launches[0]), "f\\xff\\x0ag");
  EXPECT_EQ(count_of(*trace, "trace.repaired-encoding"), 1U);
}

TEST(NsysBadInput, CompressedFilesAndFilesOnDiskReadAlike) {
  Recording recording;
  const std::string bytes = some_kernels(recording, 50).bytes();
  const auto plain = temporary("plain.sqlite");
  const auto zipped = temporary("zipped.sqlite.gz");
  write_file(plain, bytes);
  gzFile out = gzopen(zipped.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  for (const auto& path : {plain, zipped}) {
    const auto trace = read_trace(path);
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(trace->launches.size(), 50U);
    EXPECT_EQ(trace->file, path.string());
    EXPECT_NE(find_entry(*trace, "trace.format"), nullptr);
    std::filesystem::remove(path);
  }
}

TEST(NsysBadInput, AWriteAheadLogBesideTheFileIsSaidAndLeftAlone) {
  Recording recording;
  const auto path = temporary("with-wal.sqlite");
  auto log = path;
  log += "-wal";
  write_file(path, some_kernels(recording, 5).bytes());
  write_file(log, "not played back");
  const auto trace = read_trace(path);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(count_of(*trace, "trace.write-ahead-log"), 1U);
  EXPECT_EQ(std::filesystem::file_size(log), 15U);
  std::filesystem::remove(path);
  std::filesystem::remove(log);
}

TEST(NsysBadInput, TheProfilersOwnFilesGetAdvice) {
  for (const char* name : {"run.nsys-rep", "run.qdrep", "run.ncu-rep"}) {
    const auto path = temporary(name);
    write_file(path, std::string("\x01\x02\x03\x04 binary"));
    const auto trace = read_trace(path);
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().code, ErrorCode::unsupported);
    EXPECT_THAT(trace.error().message, ::testing::HasSubstr("nsys export --type sqlite"));
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace kernwatt::readers
