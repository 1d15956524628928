// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "kernwatt/readers/rank_from_name.hpp"
#include "tests/unit/readers/kineto_fixture.hpp"
#include "tests/unit/readers/nsys/nsys_fixture.hpp"

namespace kernwatt::readers {
namespace {

using ::testing::HasSubstr;

/// Writes an archive, file by file.
class ArchiveFile {
 public:
  enum class Kind : std::uint8_t { ustar, gnu, pax, zip };
  ArchiveFile(std::string name, Kind kind, bool gzip = false)
      : path_(std::filesystem::path(::testing::TempDir()) / ("kernwatt-set-" + std::to_string(::getpid()) + name)),
        handle_(archive_write_new()) {
    switch (kind) {
      case Kind::ustar:
        archive_write_set_format_ustar(handle_);
        break;
      case Kind::gnu:
        archive_write_set_format_gnutar(handle_);
        break;
      case Kind::pax:
        archive_write_set_format_pax(handle_);
        break;
      case Kind::zip:
        archive_write_set_format_zip(handle_);
        break;
    }
    if (gzip) archive_write_add_filter_gzip(handle_);
    archive_write_open_filename(handle_, path_.c_str());
  }
  ~ArchiveFile() {
    close();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  ArchiveFile& add(const std::string& name, const std::string& bytes, unsigned type = AE_IFREG) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    if (type == AE_IFLNK) archive_entry_set_symlink(entry, "elsewhere");
    archive_write_header(handle_, entry);
    if (type == AE_IFREG) archive_write_data(handle_, bytes.data(), bytes.size());
    archive_entry_free(entry);
    return *this;
  }
  const std::filesystem::path& close() {
    if (handle_ != nullptr) archive_write_free(std::exchange(handle_, nullptr));
    return path_;
  }

 private:
  std::filesystem::path path_;
  archive* handle_;
};

std::string rank_document(int rank) {
  return document(kernel("k" + std::to_string(rank), "100", "10", 1),
                  fmt::format("\"distributedInfo\": {{\"rank\": {}, \"world_size\": 8}}", rank));
}

std::string gzipped(const std::string& bytes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "kernwatt-set-member.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<run::Trace> must_read(const std::filesystem::path& path) {
  auto traces = read_traces(path);
  EXPECT_TRUE(traces) << traces.error().text();
  return traces ? std::move(*traces) : std::vector<run::Trace>();
}

// IRREGULAR.md A13: the ranks of one job in one archive
TEST(TraceSet, ReadsTheRanksOfAnArchiveOfAnyKind) {
  for (const auto& [kind, gzip] : {std::pair(ArchiveFile::Kind::ustar, false), std::pair(ArchiveFile::Kind::gnu, true),
                                   std::pair(ArchiveFile::Kind::pax, true), std::pair(ArchiveFile::Kind::zip, false)}) {
    ArchiveFile file("ranks", kind, gzip);
    file.add("run/", "", AE_IFDIR)
        .add("run/rank0.json", rank_document(0))
        .add("run/rank1.json.gz", gzipped(rank_document(1)));
    const auto path = file.close();
    const auto traces = must_read(path);
    ASSERT_EQ(traces.size(), 2U);
    EXPECT_EQ(traces[0].rank, 0);
    EXPECT_EQ(traces[1].rank, 1);
    EXPECT_EQ(traces[1].world_size, 8);
    EXPECT_EQ(traces[1].file, path.string() + "/run/rank1.json.gz");
    EXPECT_EQ(name_of(traces[1], traces[1].launches.at(0)), "k1");
    EXPECT_EQ(find_entry(traces[0], "trace.members-skipped"), nullptr);
  }
}

TEST(TraceSet, LongNamesAreKept) {
  const std::string folder(180, 'd');
  for (const auto kind : {ArchiveFile::Kind::gnu, ArchiveFile::Kind::pax}) {
    ArchiveFile file("long", kind);
    file.add(folder + "/" + std::string(120, 'f') + "_rank3.json", document(kernel("k", "100", "10", 1)));
    const auto traces = must_read(file.close());
    ASSERT_EQ(traces.size(), 1U);
    EXPECT_EQ(traces[0].rank, 3);
    EXPECT_EQ(count_of(traces[0], "trace.rank-from-name"), 1U);
  }
}

TEST(TraceSet, WhatIsNoTraceIsSkippedAndSaid) {
  ArchiveFile file("mixed", ArchiveFile::Kind::ustar);
  file.add("README.txt", "how this was recorded\n")
      .add("._rank0.json", "resource fork")
      .add("__MACOSX/._rank0.json", "resource fork")
      .add("link.json", "", AE_IFLNK)
      .add("empty.json", "")
      .add("rank0.json", rank_document(0));
  const auto traces = must_read(file.close());
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(count_of(traces[0], "trace.members-skipped"), 2U);
  EXPECT_THAT(message_of(traces[0], "trace.members-skipped"), HasSubstr("README.txt"));
  EXPECT_THAT(message_of(traces[0], "trace.members-skipped"), HasSubstr("empty.json (is empty)"));
}

TEST(TraceSet, AnArchiveWithoutTracesIsAnError) {
  ArchiveFile file("none", ArchiveFile::Kind::ustar);
  file.add("notes.txt", "nothing here\n");
  const auto traces = read_traces(file.close());
  ASSERT_FALSE(traces);
  EXPECT_EQ(traces.error().code, ErrorCode::bad_data);
  EXPECT_THAT(traces.error().message, HasSubstr("notes.txt"));
}

TEST(TraceSet, ATornArchiveGivesWhatCameBefore) {
  ArchiveFile file("torn", ArchiveFile::Kind::ustar);
  std::string many;
  for (int i = 0; i < 400; ++i) many += (i == 0 ? "" : ",") + kernel("k", std::to_string(100 + 20 * i), "10", i + 1);
  file.add("rank0.json", rank_document(0)).add("rank1.json", document(many));
  const auto path = file.close();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto traces = must_read(path);
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_NE(find_entry(traces[1], "trace.torn"), nullptr);
  EXPECT_NE(find_entry(traces[0], "input.damaged"), nullptr);
}

TEST(TraceSet, NsysExportsMayLieInsideToo) {
  Recording recording;
  recording.with_tables().kernel({.start = 100, .end = 200, .correlation = 1});
  ArchiveFile file("nsys", ArchiveFile::Kind::pax, true);
  file.add("worker2.sqlite", recording.bytes());
  const auto traces = must_read(file.close());
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0].format, "nsys-sqlite");
  EXPECT_EQ(traces[0].rank, 2);
  EXPECT_EQ(traces[0].launches.size(), 1U);
}

TEST(TraceSet, OneTraceOfAnArchiveIsThatTraceAndSeveralAreAnError) {
  ArchiveFile one("one", ArchiveFile::Kind::ustar);
  one.add("rank0.json", rank_document(0));
  const auto trace = read_trace(one.close());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->launches.size(), 1U);
  ArchiveFile two("two", ArchiveFile::Kind::ustar);
  two.add("rank0.json", rank_document(0)).add("rank1.json", rank_document(1));
  const auto several = read_trace(two.close());
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("2 traces"));
}

TEST(TraceSet, AFolderIsReadByName) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / ("kernwatt-folder-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "deeper");
  std::ofstream(folder / "rank1.json") << rank_document(1);
  std::ofstream(folder / "rank0.json") << rank_document(0);
  std::ofstream(folder / "notes.txt") << "no trace";
  std::ofstream(folder / "deeper" / "rank2.json") << rank_document(2);
  const auto traces = must_read(folder);
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces[0].rank, 0);
  EXPECT_EQ(traces[1].rank, 1);
  EXPECT_EQ(count_of(traces[0], "trace.members-skipped"), 1U);
  std::filesystem::remove_all(folder);
}

TEST(RankFromName, KnowsHowRanksAreWritten) {
  EXPECT_EQ(rank_from_name("rank0.json"), 0);
  EXPECT_EQ(rank_from_name("a/b/trace_rank-13.json.gz"), 13);
  EXPECT_EQ(rank_from_name("worker2_step_12.1694128201554.pt.trace.json"), 2);
  EXPECT_EQ(rank_from_name("RANK_3.sqlite"), 3);
  EXPECT_EQ(rank_from_name("frank3.json"), std::nullopt);
  EXPECT_EQ(rank_from_name("rank_non_gpu.json"), std::nullopt);
  EXPECT_EQ(rank_from_name("rank99999999999.json"), std::nullopt);
  EXPECT_EQ(rank_from_name("rank7/trace.json"), std::nullopt);
}

}  // namespace
}  // namespace kernwatt::readers
