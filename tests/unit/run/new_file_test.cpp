// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/new_file.hpp"

#include <gtest/gtest.h>

#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt::run {
namespace {

TEST(NewFile, AppearsWithItsContentAtCommit) {
  const TemporaryFolder folder;
  Result<NewFile> file = NewFile::create(folder.file("a"), false);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("one "));
  ASSERT_TRUE(file->write("two"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(folder.file("a")), "one two");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(NewFile, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  {
    Result<NewFile> file = NewFile::create(folder.file("a"), false);
    ASSERT_TRUE(file);
    NewFile moved = std::move(*file);
    ASSERT_TRUE(moved.write("text"));
  }
  EXPECT_EQ(folder.count(), 0U);
}

TEST(NewFile, ANameTakenMeanwhileIsNotOverwritten) {
  const TemporaryFolder folder;
  Result<NewFile> file = NewFile::create(folder.file("a"), false);
  ASSERT_TRUE(file);
  write_file(folder.file("a"), "theirs");
  const Status status = file->commit();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(read_file(folder.file("a")), "theirs");
}

TEST(NewFile, ALinkKeepsPointingAtTheReplacedFile) {
  const TemporaryFolder folder;
  write_file(folder.file("real"), "old");
  std::filesystem::create_symlink("real", folder.file("link"));
  Result<NewFile> file = NewFile::create(folder.file("link"), true);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("real")), "new");
}

TEST(NewFile, IsNeverAFolderOrADevice) {
  const TemporaryFolder folder;
  EXPECT_EQ(NewFile::create(folder.path(), true).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(NewFile::create("/dev/null", true).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(NewFile::create("", true).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace kernwatt::run
