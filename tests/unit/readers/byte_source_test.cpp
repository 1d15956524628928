// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/io/byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernwatt/readers/io/line_reader.hpp"

namespace kernwatt::readers {
namespace {

using ::testing::HasSubstr;

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  out.resize(size);
  return out;
}

/// Text that does not compress to nothing, so that cuts fall in the middle of real data.
std::string long_text(std::size_t lines = 40000) {
  std::string text;
  unsigned state = 12345;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 1664525U + 1013904223U;
    text += "line " + std::to_string(i) + " " + std::to_string(state) + "\n";
  }
  return text;
}

std::string drain(ByteSource& source, std::size_t piece = 70000) {
  std::string all;
  std::string buffer(piece, '\0');
  for (;;) {
    const auto got = source.read(buffer);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) return all;
    all.append(buffer, 0, *got);
  }
}

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    path_ = std::filesystem::temp_directory_path() /
            ("kernwatt_byte_source_" + std::to_string(::getpid()) + "_" + std::to_string(counter_++));
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  std::filesystem::path path_;
};

TEST(ByteSource, PlainBytesComeUnchanged) {
  auto source = ByteSource::from_memory("{\"a\": 1}");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->compression(), Compression::none);
  EXPECT_EQ(drain(**source, 3), "{\"a\": 1}");
  EXPECT_EQ((*source)->bytes_read_from_file(), 8U);
  EXPECT_EQ((*source)->file_size(), 8U);
}

TEST(ByteSource, GzipOfManyMembersIsOneStream) {
  const std::string text = long_text();
  auto source = ByteSource::from_memory(gzip(text) + gzip("second\n") + gzip("") + gzip("fourth\n"));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->compression(), Compression::gzip);
  EXPECT_EQ(drain(**source), text + "second\nfourth\n");
  EXPECT_FALSE((*source)->truncated());
}

TEST(ByteSource, ZstdOfManyFramesIsOneStream) {
  const std::string text = long_text();
  auto source = ByteSource::from_memory(zstd(text) + zstd("second\n"));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->compression(), Compression::zstd);
  EXPECT_EQ(drain(**source), text + "second\n");
  EXPECT_FALSE((*source)->truncated());
}

TEST(ByteSource, PeekDoesNotConsume) {
  const std::string text = long_text();
  auto source = ByteSource::from_memory(gzip(text));
  ASSERT_TRUE(source);
  EXPECT_EQ(*(*source)->peek(6), "line 0");
  EXPECT_EQ(*(*source)->peek(100000), text.substr(0, 100000));
  EXPECT_EQ(drain(**source), text);
}

TEST(ByteSource, TornGzipGivesWhatWasThereAndSaysWhatIsLost) {
  const std::string text = long_text();
  const std::string packed = gzip(text);
  auto source = ByteSource::from_memory(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(source);
  const std::string got = drain(**source);
  EXPECT_GT(got.size(), text.size() / 3);
  EXPECT_EQ(got, text.substr(0, got.size()));
  EXPECT_THAT((*source)->damage(), HasSubstr("middle of a member"));
  QualityLedger quality;
  (*source)->report_damage(quality);
  EXPECT_TRUE(quality.contains("input.damaged"));
}

TEST(ByteSource, DamagedGzipChecksumIsTold) {
  const std::string text = long_text();
  std::string packed = gzip(text);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 0x55);
  auto source = ByteSource::from_memory(packed);
  ASSERT_TRUE(source);
  EXPECT_EQ(drain(**source), text);
  EXPECT_TRUE((*source)->truncated());
}

TEST(ByteSource, GarbageAfterGzipIsTold) {
  auto source = ByteSource::from_memory(gzip("text\n") + "garbage");
  ASSERT_TRUE(source);
  EXPECT_EQ(drain(**source), "text\n");
  EXPECT_THAT((*source)->damage(), HasSubstr("not gzip"));
}

TEST(ByteSource, ZeroPaddingAfterGzipIsNoLoss) {
  auto source = ByteSource::from_memory(gzip("text\n") + std::string(512, '\0'));
  ASSERT_TRUE(source);
  EXPECT_EQ(drain(**source), "text\n");
  EXPECT_FALSE((*source)->truncated());
}

TEST(ByteSource, TornZstdGivesWhatWasThereAndSaysWhatIsLost) {
  const std::string text = long_text();
  const std::string packed = zstd(text);
  auto source = ByteSource::from_memory(packed.substr(0, packed.size() * 3 / 4));
  ASSERT_TRUE(source);
  const std::string got = drain(**source);
  EXPECT_FALSE(got.empty());
  EXPECT_EQ(got, text.substr(0, got.size()));
  EXPECT_THAT((*source)->damage(), HasSubstr("middle of a frame"));
}

TEST(ByteSource, FilesAreDecompressedAheadOnAThread) {
  const std::string text = long_text(200000);
  const TemporaryFile file(gzip(text));
  auto source = ByteSource::open(file.path());
  ASSERT_TRUE(source);
  EXPECT_EQ(drain(**source), text);
  EXPECT_EQ((*source)->bytes_read_from_file(), (*source)->file_size());
}

TEST(ByteSource, ASourceMayBeLeftUnread) {
  const TemporaryFile file(gzip(long_text(200000)));
  auto source = ByteSource::open(file.path());
  ASSERT_TRUE(source);
}

TEST(ByteSource, AMissingFileADirectoryAndAnEmptyFileAreClearErrors) {
  const auto missing = ByteSource::open("does/not/exist.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::io);
  EXPECT_THAT(missing.error().text(), HasSubstr("does/not/exist.json"));
  const auto directory = ByteSource::open(std::filesystem::temp_directory_path());
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("is a directory"));
  const TemporaryFile file("");
  const auto empty = ByteSource::open(file.path());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::bad_data);
  EXPECT_THAT(empty.error().message, HasSubstr("is empty"));
  EXPECT_FALSE(ByteSource::from_memory(gzip("")));
}

TEST(ByteSource, OtherCompressionsAndArchivesAreNamed) {
  EXPECT_THAT(ByteSource::from_memory(std::string("\xfd"
                                                  "7zXZ\0...",
                                                  9))
                  .error()
                  .message,
              HasSubstr("xz -d"));
  EXPECT_THAT(ByteSource::from_memory("PK\x03\x04....").error().message, HasSubstr("zip archive"));
  std::string tar(1024, 'x');
  tar.replace(257, 5, "ustar");
  EXPECT_THAT(ByteSource::from_memory(gzip(tar)).error().message, HasSubstr("tar archive"));
}

TEST(LineReader, GivesLinesWithTheirPlaces) {
  auto source = ByteSource::from_memory("one\r\n\ntwo\nthree");
  ASSERT_TRUE(source);
  LineReader lines(**source);
  std::string_view line;
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(lines.line_number(), 1U);
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(lines.byte_offset(), 6U);
  EXPECT_TRUE(lines.terminated());
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_EQ(lines.line_number(), 4U);
  EXPECT_FALSE(lines.terminated());
  EXPECT_FALSE(*lines.next(line));
}

TEST(LineReader, BoundsEndlessLines) {
  auto source = ByteSource::from_memory(std::string(100000, 'x') + "\nnext\n" + std::string(50, 'y'));
  ASSERT_TRUE(source);
  LineReader lines(**source, 100);
  std::string_view line;
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.size(), 100U);
  EXPECT_TRUE(lines.cut());
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "next");
  EXPECT_FALSE(lines.cut());
  EXPECT_EQ(lines.line_number(), 2U);
  EXPECT_EQ(lines.byte_offset(), 100001U);
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.size(), 50U);
  EXPECT_FALSE(*lines.next(line));
}

TEST(LineReader, ALineOverManyReadsIsWhole) {
  const std::string text = long_text(1) + std::string(500000, 'z') + "\nend\n";
  auto source = ByteSource::from_memory(text);
  ASSERT_TRUE(source);
  LineReader lines(**source);
  std::string_view line;
  ASSERT_TRUE(*lines.next(line));
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.size(), 500000U);
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line, "end");
}

}  // namespace
}  // namespace kernwatt::readers
