// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernwatt/run/run_file.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt::run {
namespace {

// tests/data/run_files/version1.kw was written by the program of format 1.
TEST(RunFileVersion, AFileOfVersionOneIsReadWithoutWhatCameLater) {
  const Result<run::Run> loaded = load_run(std::string(KERNWATT_SOURCE_DIR) + "/tests/data/run_files/version1.kw");
  ASSERT_TRUE(loaded) << loaded.error().text();
  ASSERT_EQ(loaded->devices.size(), 1U);
  EXPECT_EQ(loaded->devices[0].uuid, "GPU-11112222-3333-4444-5555-666677778888");
  EXPECT_EQ(loaded->devices[0].host, "");
  ASSERT_EQ(loaded->power.size(), 1U);
  EXPECT_EQ(loaded->power[0].gpus.at(0).energy_mj.size(), 130U);
  EXPECT_EQ(loaded->power[0].gpus[0].rows, 130U);
  EXPECT_TRUE(loaded->power[0].gpus[0].missing_tokens.empty());
  EXPECT_TRUE(loaded->power[0].totals.empty());
  EXPECT_TRUE(loaded->power[0].supported_clocks.empty());
  ASSERT_EQ(loaded->traces.size(), 1U);
  EXPECT_EQ(loaded->traces[0].launches.size(), 160U);
  EXPECT_GT(loaded->attribution.rows.size(), 4U);
}

TEST(RunFileVersion, AFileOfVersionOneIsSavedInTheVersionOfToday) {
  const TemporaryFolder folder;
  const Result<run::Run> old = load_run(std::string(KERNWATT_SOURCE_DIR) + "/tests/data/run_files/version1.kw");
  ASSERT_TRUE(old) << old.error().text();
  ASSERT_TRUE(save_run(*old, folder.file("new.kw")));
  const Result<run::Run> loaded = load_run(folder.file("new.kw"));
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->traces.at(0).launches.size(), old->traces.at(0).launches.size());
}

}  // namespace
}  // namespace kernwatt::run
