// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/run_file.hpp"

#include <gtest/gtest.h>

#include "tests/unit/run/random_run.hpp"
#include "tests/unit/run/run_dump.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt::run {
namespace {

TEST(RunFile, WhatWasSavedIsLoadedFieldByField) {
  const TemporaryFolder folder;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const run::Run run = random_run(seed);
    const auto path = folder.file(std::to_string(seed) + ".kw");
    const Status saved = save_run(run, path);
    ASSERT_TRUE(saved) << saved.error().text();
    const Result<run::Run> loaded = load_run(path);
    ASSERT_TRUE(loaded) << "seed " << seed << ": " << loaded.error().text();
    ASSERT_EQ(dump(run), dump(*loaded)) << "seed " << seed;
  }
}

TEST(RunFile, AnEmptyRunIsARun) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_run({}, folder.file("empty.kw")));
  const Result<run::Run> loaded = load_run(folder.file("empty.kw"));
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(dump({}), dump(*loaded));
}

TEST(RunFile, ColumnsLongerThanOnePartKeepTheirOrder) {
  const TemporaryFolder folder;
  run::Run run;
  GpuPower& gpu = run.power.emplace_back().gpus.emplace_back();
  for (std::int64_t i = 0; i < 2'500'000; ++i) gpu.energy_mj.push(i, i * 3);
  ASSERT_TRUE(save_run(run, folder.file("long.kw")));
  const Result<run::Run> loaded = load_run(folder.file("long.kw"));
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->power.at(0).gpus.at(0).energy_mj.time_ns, gpu.energy_mj.time_ns);
  EXPECT_EQ(loaded->power.at(0).gpus.at(0).energy_mj.value, gpu.energy_mj.value);
}

TEST(RunFile, NamesThatMeanSomethingToAUriOrAShellArePlainNames) {
  const TemporaryFolder folder;
  for (const char* name : {"a?b.kw", "a#b.kw", "a%20b.kw", "a b.kw", "-x.kw"}) {
    ASSERT_TRUE(save_run(random_run(1), folder.file(name))) << name;
    EXPECT_TRUE(load_run(folder.file(name))) << name;
  }
}

TEST(RunFile, AnExistingFileIsReplacedOnlyWhenAsked) {
  const TemporaryFolder folder;
  const auto path = folder.file("run.kw");
  write_file(path, "precious");
  const Status refused = save_run({}, path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(read_file(path), "precious");
  ASSERT_TRUE(save_run({}, path, true));
  EXPECT_TRUE(load_run(path));
  EXPECT_EQ(folder.count(), 1U) << "nothing is left beside the file";
}

TEST(RunFile, AFolderThatDoesNotExistIsAnErrorOfInputAndOutput) {
  const TemporaryFolder folder;
  const Status status = save_run({}, folder.file("none") / "run.kw");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io);
}

TEST(RunFile, AJournalBesideTheFileIsNeverPlayedBack) {
  const TemporaryFolder folder;
  const auto path = folder.file("run.kw");
  ASSERT_TRUE(save_run(random_run(2), path));
  const std::string before = read_file(path);
  write_file(folder.file("run.kw-journal"),
             std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) + std::string(1024, 'x'));
  write_file(folder.file("run.kw-wal"), std::string(1024, 'x'));
  EXPECT_TRUE(load_run(path));
  EXPECT_EQ(read_file(path), before);
}

}  // namespace
}  // namespace kernwatt::run
